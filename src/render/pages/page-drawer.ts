import { PngEncoder } from "../../images/png/png-encoder.ts";
import { type Pdfium, startPdfium } from "./start-pdfium.ts";

const MB = 1024 * 1024;
/** PDFium itself, a document, and decoded pictures on a page. */
const MEMORY_MAX_BYTES = 56 * MB;
/** An instance that has grown larger is dropped after use: memory of wasm never shrinks. */
const KEPT_MEMORY_BYTES = 24 * MB;
/** The longest side, in pixels, of an image that is drawn at once; larger ones are drawn in bands. */
const WHOLE_SIDE_MAX = 2_048;
/** Of the bitmap of a band; that of a whole image has at most twice as much. */
const BAND_BYTES_MAX = 8 * MB;

const FORMAT_BGRA = 4;
const WHITE = 0xff_ff_ff_ff;
/** FPDF_REVERSE_BYTE_ORDER: RGBA instead of BGRA. */
const RGBA_ORDER = 0x10;

/** The pixels of a page image: the longest side is exact, the other is rounded. */
export function imageSize(
  width: number,
  height: number,
  maxDimension: number,
): { readonly width: number; readonly height: number } {
  const scale = maxDimension / Math.max(width, height);
  const side = (length: number): number => Math.max(1, Math.round(length * scale));
  return width >= height
    ? { width: maxDimension, height: side(height) }
    : { width: side(width), height: maxDimension };
}

/** A page image, piece by piece. */
export interface PageImage {
  readonly width: number;
  readonly height: number;
  /** The PNG's bytes; drawing goes on as they are read. */
  pieces(): Generator<Uint8Array>;
}

/** Draws pages of PDFs with PDFium in one instance of its wasm, which is made at the first use. One document at a time. */
export class PageDrawer {
  readonly #module: WebAssembly.Module;
  readonly #pixels: WebAssembly.Module;
  #pdfium: Pdfium | undefined;

  /** `module` is pdfium.wasm, and `pixels` is pixels.wasm. */
  constructor(module: WebAssembly.Module, pixels: WebAssembly.Module) {
    this.#module = module;
    this.#pixels = pixels;
  }

  /** 0 while there is no instance. */
  get memoryBytes(): number {
    return this.#pdfium?.memory.buffer.byteLength ?? 0;
  }

  /**
   * Opens a PDF, given in pieces, hands it to `work`, and frees all that belongs to it. Throws what `work` throws, and
   * WebAssembly.RuntimeError if PDFium cannot read the file or needs more memory than it may have; the next call then
   * has a new instance.
   */
  async use<T>(
    pdf: readonly Uint8Array[],
    work: (pages: DrawnDocument) => Promise<T> | T,
    memoryMaxBytes = MEMORY_MAX_BYTES,
  ): Promise<T> {
    const pdfium = (this.#pdfium ??= startPdfium(this.#module));
    pdfium.setMemoryMax(memoryMaxBytes);
    try {
      const document = new DrawnDocument(pdfium, this.#pixels, pdf);
      const result = await work(document);
      document.close();
      if (pdfium.memory.buffer.byteLength > KEPT_MEMORY_BYTES) {
        this.drop();
      }
      return result;
    } catch (error) {
      // After an error nobody knows what the instance still holds.
      this.drop();
      throw error;
    }
  }

  /** Frees the instance. */
  drop(): void {
    this.#pdfium = undefined;
  }
}

/** A PDF in PDFium's memory. */
export class DrawnDocument {
  readonly pageCount: number;
  readonly #pdfium: Pdfium;
  readonly #pixels: WebAssembly.Module;
  readonly #data: number;
  readonly #document: number;

  constructor(pdfium: Pdfium, pixels: WebAssembly.Module, pdf: readonly Uint8Array[]) {
    this.#pixels = pixels;
    this.#pdfium = pdfium;
    const length = pdf.reduce((sum, piece) => sum + piece.length, 0);
    this.#data = allocate(pdfium, length);
    let at = this.#data;
    for (const piece of pdf) {
      new Uint8Array(pdfium.memory.buffer).set(piece, at);
      at += piece.length;
    }
    this.#document = pdfium.FPDF_LoadMemDocument(this.#data, length, 0);
    if (this.#document === 0) {
      throw new WebAssembly.RuntimeError("PDFium cannot read the PDF.");
    }
    this.pageCount = pdfium.FPDF_GetPageCount(this.#document);
  }

  /** Draws a page on white. `index` counts from 0. */
  draw(index: number, maxDimension: number): PageImage {
    const pdfium = this.#pdfium;
    const page = pdfium.FPDF_LoadPage(this.#document, index);
    if (page === 0) {
      throw new WebAssembly.RuntimeError(`PDFium cannot read page ${index + 1} of the PDF.`);
    }
    const [pageWidth, pageHeight] = [
      pdfium.FPDF_GetPageWidthF(page),
      pdfium.FPDF_GetPageHeightF(page),
    ];
    const { width, height } = imageSize(pageWidth, pageHeight, maxDimension);
    return { width, height, pieces: () => drawPage(pdfium, this.#pixels, page, width, height) };
  }

  close(): void {
    this.#pdfium.FPDF_CloseDocument(this.#document);
    this.#pdfium.free(this.#data);
  }
}

function* drawPage(
  pdfium: Pdfium,
  pixels: WebAssembly.Module,
  page: number,
  width: number,
  height: number,
): Generator<Uint8Array> {
  const stride = width * 4;
  const rowsAtOnce =
    Math.max(width, height) > WHOLE_SIDE_MAX
      ? Math.min(Math.ceil(height / 2), Math.floor(BAND_BYTES_MAX / stride))
      : height;
  const buffer = allocate(pdfium, stride * rowsAtOnce);
  const encoder = new PngEncoder(pixels, width, height, true);
  for (let top = 0; top < height; top += rowsAtOnce) {
    const rows = Math.min(rowsAtOnce, height - top);
    const bitmap = pdfium.FPDFBitmap_CreateEx(width, rows, FORMAT_BGRA, buffer, stride);
    pdfium.FPDFBitmap_FillRect(bitmap, 0, 0, width, rows, WHITE);
    pdfium.FPDF_RenderPageBitmap(bitmap, page, 0, -top, width, height, 0, RGBA_ORDER);
    pdfium.FPDFBitmap_Destroy(bitmap);
    if (pdfium.wasRefusedMemory()) {
      // It leaves out a picture that does not fit, without an error.
      throw new WebAssembly.RuntimeError(
        "PDFium needed more memory for the page than it may have.",
      );
    }
    // Drawing may have moved the memory.
    yield* encoder.add(new Uint8ClampedArray(pdfium.memory.buffer, buffer, stride * rows));
  }
  pdfium.free(buffer);
  pdfium.FPDF_ClosePage(page);
  yield* encoder.end();
}

function allocate(pdfium: Pdfium, bytes: number): number {
  const at = pdfium.malloc(Math.max(1, bytes)) >>> 0;
  if (at === 0) {
    throw new WebAssembly.RuntimeError(`PDFium has no room for ${bytes} bytes.`);
  }
  return at;
}

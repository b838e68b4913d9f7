import { PixelKernels, PixelLayout } from "../pixels/pixel-kernels.ts";
import { type LanczosTable, lanczosTable, lanczosTaps } from "./lanczos-table.ts";

interface Size {
  readonly width: number;
  readonly height: number;
}

/** The part of a scaled picture that is wanted, in its pixels. */
export interface ScaledWindow extends Size {
  readonly left: number;
  readonly top: number;
}

/** Of RGBA, and of four samples of 16 bits. */
const [PIXEL_BYTES, SAMPLES_BYTES] = [4, 8] as const;
/** Weights of a new pixel are a multiple of this number, of which the last are 0. */
const WEIGHTS_AT_ONCE = 4;

/**
 * Number of whole old pixels that are averaged before the kernel is applied, at this distance of new pixels: at least
 * two means remain for each new pixel, so that the kernel decides what is seen. libvips does the same.
 */
function boxOf(step: number): number {
  return Math.max(1, Math.floor(step / 2));
}

/** The sizes that a resampler has, and the parts of its memory. */
function planOf(from: Size, to: Size, window: Size) {
  const [stepX, stepY] = [from.width / to.width, from.height / to.height];
  const [boxWidth, boxHeight] = [boxOf(stepX), boxOf(stepY)];
  const [boxes, boxRows] = [Math.ceil(from.width / boxWidth), Math.ceil(from.height / boxHeight)];
  const [kernelX, kernelY] = [stepX / boxWidth, stepY / boxHeight];
  const hasBoxes = boxWidth * boxHeight > 1;
  const held = lanczosTaps(boxRows, kernelY);
  const weightBytes = (taps: number) => Math.ceil(taps / WEIGHTS_AT_ONCE) * WEIGHTS_AT_ONCE * 2;
  const heldStride = Math.ceil(window.width / 4) * 4 * SAMPLES_BYTES;
  const layout = new PixelLayout({
    row: from.width * PIXEL_BYTES,
    sums: hasBoxes ? boxes * 4 * Float64Array.BYTES_PER_ELEMENT : 0,
    samples: boxes * SAMPLES_BYTES,
    first: window.width * Int32Array.BYTES_PER_ELEMENT,
    columns: window.width * weightBytes(lanczosTaps(boxes, kernelX)),
    rows: window.height * weightBytes(held),
    held: held * heldStride,
    out: window.width * PIXEL_BYTES,
  });
  return { boxWidth, boxHeight, boxes, boxRows, kernelX, kernelY, hasBoxes, heldStride, layout };
}

/**
 * Scales rows from top to bottom by a Lanczos kernel with 3 lobes, in sRGB with premultiplied alpha. Only the rows that
 * the kernel covers are held. A picture that shrinks to a quarter or less is averaged over whole pixels first. The work
 * on pixels is that of wasm/pixels/scale.c.
 */
export class RowResampler {
  readonly #kernels: PixelKernels;
  readonly #plan: ReturnType<typeof planOf>;
  readonly #from: Size;
  readonly #window: ScaledWindow;
  readonly #isOpaque: boolean;
  readonly #columnTaps: number;
  /** `rowTaps`: with the weights that are 0. */
  readonly #rows: Pick<LanczosTable, "first" | "taps"> & { readonly weightBytes: number };
  readonly #row: Uint8Array;
  readonly #out: Uint8Array;
  /** Rows of the present boxes. */
  #added = 0;
  #rowsLeft: number;
  /** Numbers of the next row of boxes, and of the next new row. */
  #boxRow = 0;
  #next = 0;

  /** `module` is pixels.wasm. */
  constructor(
    module: WebAssembly.Module,
    from: Size,
    to: Size,
    window: ScaledWindow,
    isOpaque: boolean,
  ) {
    this.#from = from;
    this.#window = window;
    this.#isOpaque = isOpaque;
    this.#rowsLeft = from.height;
    const plan = planOf(from, to, window);
    const { boxes, boxRows, kernelX, kernelY, layout } = plan;
    this.#plan = plan;
    this.#kernels = new PixelKernels(module, layout);
    const { buffer } = this.#kernels;
    const columns = lanczosTable(boxes, kernelX, window.left, window.width);
    new Int32Array(buffer, layout.at("first"), columns.first.length).set(columns.first);
    this.#columnTaps = putWeights(columns, buffer, layout.at("columns"));
    const rows = lanczosTable(boxRows, kernelY, window.top, window.height);
    const weightBytes = putWeights(rows, buffer, layout.at("rows")) * 2;
    this.#rows = { first: rows.first, taps: rows.taps, weightBytes };
    this.#row = this.#kernels.bytes(layout.at("row"), from.width * PIXEL_BYTES);
    this.#out = this.#kernels.bytes(layout.at("out"), window.width * PIXEL_BYTES);
  }

  /** Bytes that a resampler for these sizes holds. */
  static bytes(from: Size, to: Size, window: Size): number {
    const { layout, kernelX, kernelY, boxes, boxRows } = planOf(from, to, window);
    // The tables, before they are in the memory.
    const columns = window.width * (4 + 2 * lanczosTaps(boxes, kernelX));
    return layout.bytes + columns + window.height * (4 + 2 * lanczosTaps(boxRows, kernelY));
  }

  /** Takes the next row of RGBA, not premultiplied. The rows that `hasRow` announces are written before the next one. */
  add(rgba: Uint8ClampedArray, at: number): void {
    const { hasBoxes, layout } = this.#plan;
    const rows = this.#rows;
    this.#row.set(rgba.subarray(at, at + this.#row.length));
    if (hasBoxes && !this.#addToBoxes()) {
      return;
    }
    const row = this.#boxRow++;
    const isWanted = this.#next < rows.first.length && row >= (rows.first[this.#next] as number);
    if (hasBoxes) {
      this.#takeMeans();
    }
    if (!isWanted) {
      return;
    }
    const { call } = this.#kernels;
    const held = layout.at("held") + (row % rows.taps) * this.#plan.heldStride;
    const [first, weights] = [layout.at("first"), layout.at("columns")];
    const { width } = this.#window;
    if (!hasBoxes && this.#isOpaque) {
      call.across_opaque(layout.at("row"), width, first, this.#columnTaps, weights, held);
      return;
    }
    if (!hasBoxes) {
      call.premultiplied(layout.at("row"), this.#from.width, layout.at("samples"));
    }
    call.across(layout.at("samples"), width, first, this.#columnTaps, weights, held);
  }

  /** Adds the row to its boxes. Returns whether these are complete. */
  #addToBoxes(): boolean {
    const { boxWidth, boxHeight, layout } = this.#plan;
    const { call } = this.#kernels;
    const [row, sums] = [layout.at("row"), layout.at("sums")];
    if (this.#isOpaque) {
      call.add_opaque(row, this.#from.width, boxWidth, sums);
    } else {
      call.add_clear(row, this.#from.width, boxWidth, sums);
    }
    this.#rowsLeft--;
    this.#added++;
    return this.#added === boxHeight || this.#rowsLeft === 0;
  }

  #takeMeans(): void {
    const { boxWidth, boxes, layout } = this.#plan;
    // Samples of clear pixels are multiplied by their alpha.
    const scale = this.#isOpaque ? 256 : 1;
    const lastWidth = this.#from.width - (boxes - 1) * boxWidth;
    this.#kernels.call.take_means(
      layout.at("sums"),
      boxes,
      scale / (boxWidth * this.#added),
      scale,
      lastWidth * this.#added,
      layout.at("samples"),
    );
    this.#added = 0;
  }

  /** Whether a new row is complete. */
  get hasRow(): boolean {
    const { first, taps } = this.#rows;
    return this.#next < first.length && (first[this.#next] as number) + taps <= this.#boxRow;
  }

  /** Writes the next new row, which is complete, as RGBA, not premultiplied. */
  write(out: Uint8ClampedArray, at: number): void {
    const { first, taps, weightBytes } = this.#rows;
    const { layout, heldStride } = this.#plan;
    const y = this.#next++;
    this.#kernels.call.down(
      layout.at("held"),
      taps,
      heldStride / 2,
      (first[y] as number) % taps,
      taps,
      layout.at("rows") + y * weightBytes,
      this.#window.width,
      this.#isOpaque ? 1 : 0,
      layout.at("out"),
    );
    out.set(this.#out, at);
  }
}

/** Writes the weights, padded, and returns the number for each new pixel. */
function putWeights({ first, taps, weights }: LanczosTable, buffer: ArrayBuffer, at: number) {
  const padded = Math.ceil(taps / WEIGHTS_AT_ONCE) * WEIGHTS_AT_ONCE;
  const out = new Int16Array(buffer, at, first.length * padded);
  for (let i = 0; i < first.length; i++) {
    out.set(weights.subarray(i * taps, (i + 1) * taps), i * padded);
  }
  return padded;
}

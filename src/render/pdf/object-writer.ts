import { deflateSync } from "node:zlib";
import { PDFDict, type PDFHexString, PDFName, PDFNumber, type PDFObject } from "pdf-lib";
import { arrayOf, dictOf, type PdfEntries, refOf } from "./pdf-objects.ts";

/** An object's number. All objects have generation 0. */
export type Ref = number;

/** Objects that are compressed together. Viewers read a whole stream for one of its objects. */
const PACKED_OBJECTS_MAX = 200;
const PACKED_CHARACTERS_MAX = 128 * 1024;
/** Raw deflate of shorter streams gains nothing over its own overhead. */
const DEFLATED_BYTES_MIN = 40;

type Entry =
  | { readonly kind: "offset"; readonly offset: number }
  | { readonly kind: "packed"; readonly stream: Ref; readonly index: number };

/**
 * Writes PDF objects one after another, so that only the table of their places is held until the end (ISO 32000-1
 * §7.5). Objects that are not streams are packed into object streams; the table is a cross-reference stream.
 */
export class ObjectWriter {
  readonly #encoder = new TextEncoder();
  #pieces: Uint8Array[] = [];
  #offset = 0;
  #streamEnd = 0;
  readonly #entries: (Entry | undefined)[] = [];
  #packed: { readonly ref: Ref; readonly body: string }[] = [];
  #packedCharacters = 0;

  constructor(version: "1.6" | "1.7") {
    // Four bytes above 127 tell transfer programs that the file is binary.
    this.#emit(
      Uint8Array.from([...this.#encoder.encode(`%PDF-${version}\n%`), 0xe2, 0xe3, 0xcf, 0xd3, 10]),
    );
  }

  /** A number for an object that is written later. */
  reserve(): Ref {
    return this.#entries.push(undefined);
  }

  /** Writes an object that is not a stream. */
  add(object: PDFObject, ref: Ref = this.reserve()): Ref {
    const body = object.toString();
    this.#packed.push({ ref, body });
    this.#packedCharacters += body.length;
    if (
      this.#packed.length >= PACKED_OBJECTS_MAX ||
      this.#packedCharacters >= PACKED_CHARACTERS_MAX
    ) {
      this.#flush();
    }
    return ref;
  }

  /** Writes a stream as it is. */
  addStream(
    entries: PdfEntries | PDFDict,
    data: readonly Uint8Array[],
    ref: Ref = this.reserve(),
  ): Ref {
    const length = data.reduce((sum, piece) => sum + piece.length, 0);
    this.beginStream(entries, length, ref);
    for (const piece of data) {
      this.#emit(piece);
    }
    this.endStream();
    return ref;
  }

  /** Begins a stream whose `length` bytes are appended next. Nothing else may be written before `endStream`. */
  beginStream(entries: PdfEntries | PDFDict, length: number, ref: Ref): void {
    this.#entries[ref - 1] = { kind: "offset", offset: this.#offset };
    const dict = entries instanceof PDFDict ? entries : dictOf(entries);
    dict.set(PDFName.Length, PDFNumber.of(length));
    this.#emitText(`${ref} 0 obj\n${dict.toString()}stream\n`);
    this.#streamEnd = this.#offset + length;
  }

  appendToStream(piece: Uint8Array): void {
    this.#emit(piece);
  }

  /** Throws if the stream has not the length that was stated: the file would be damaged. */
  endStream(): void {
    if (this.#offset !== this.#streamEnd) {
      throw new Error(`A PDF stream ends at ${this.#offset}, and not at ${this.#streamEnd}.`);
    }
    this.#emitText("\nendstream\nendobj\n");
  }

  /** Writes a stream deflated, if that makes it shorter. */
  addDeflated(entries: PdfEntries, data: Uint8Array | string, ref: Ref = this.reserve()): Ref {
    const bytes = typeof data === "string" ? this.#encoder.encode(data) : data;
    return this.addPacked(entries, deflatedBytes(bytes), ref);
  }

  /** Writes what `deflatedBytes` returned. */
  addPacked(
    entries: PdfEntries,
    { bytes, isDeflated }: DeflatedBytes,
    ref: Ref = this.reserve(),
  ): Ref {
    return this.addStream(
      isDeflated ? { ...entries, Filter: "FlateDecode" } : entries,
      [bytes],
      ref,
    );
  }

  /** The bytes since the last call. */
  take(): Uint8Array[] {
    const taken = this.#pieces;
    this.#pieces = [];
    return taken;
  }

  /** Writes the table. Throws if an object was reserved and not written: the file would be damaged. */
  finish(root: Ref, info: Ref, id: PDFHexString): void {
    this.#flush();
    const ref = this.reserve();
    const start = this.#offset;
    this.#entries[ref - 1] = { kind: "offset", offset: start };
    const width = start < 0x1_00_00 ? 2 : start < 0x1_00_00_00 ? 3 : 4;
    const count = this.#entries.length + 1;
    const rows = new Uint8Array(count * (3 + width));
    const view = new DataView(rows.buffer);
    // Object 0 heads the list of free objects, which is empty.
    rows.fill(0xff, 1 + width, 3 + width);
    for (const [i, entry] of this.#entries.entries()) {
      if (entry === undefined) {
        throw new Error(`PDF object ${i + 1} was reserved and not written.`);
      }
      const at = (i + 1) * (3 + width);
      const place = entry.kind === "offset" ? entry.offset : entry.stream;
      rows[at] = entry.kind === "offset" ? 1 : 2;
      for (let k = 0; k < width; k++) {
        rows[at + width - k] = Math.floor(place / 256 ** k) % 256;
      }
      view.setUint16(at + 1 + width, entry.kind === "offset" ? 0 : entry.index);
    }
    const data = deflated(predictUp(rows, 3 + width));
    const entries = {
      Type: "XRef",
      Size: count,
      W: arrayOf([1, width, 2]),
      Root: refOf(root),
      Info: refOf(info),
      ID: arrayOf([id, id]),
      DecodeParms: dictOf({ Predictor: 12, Columns: 3 + width }),
      Filter: "FlateDecode",
    };
    this.addStream(entries, [data], ref);
    this.#emitText(`startxref\n${start}\n%%EOF\n`);
  }

  #flush(): void {
    if (this.#packed.length === 0) {
      return;
    }
    const packed = this.#packed;
    this.#packed = [];
    this.#packedCharacters = 0;
    const stream = this.reserve();
    let at = 0;
    const heads: string[] = [];
    for (const [index, { ref, body }] of packed.entries()) {
      heads.push(`${ref} ${at}`);
      at += body.length + 1;
      this.#entries[ref - 1] = { kind: "packed", stream, index };
    }
    const head = `${heads.join(" ")}\n`;
    const bodies = packed.map(({ body }) => body).join("\n");
    this.addDeflated(
      { Type: "ObjStm", N: packed.length, First: head.length },
      `${head}${bodies}`,
      stream,
    );
  }

  #emitText(text: string): void {
    this.#emit(this.#encoder.encode(text));
  }

  #emit(bytes: Uint8Array): void {
    this.#pieces.push(bytes);
    this.#offset += bytes.length;
  }
}

/** A stream's bytes, deflated if that makes them shorter. */
export interface DeflatedBytes {
  readonly bytes: Uint8Array;
  readonly isDeflated: boolean;
}

export function deflatedBytes(bytes: Uint8Array): DeflatedBytes {
  const isDeflated = bytes.length >= DEFLATED_BYTES_MIN;
  return { bytes: isDeflated ? deflated(bytes) : bytes, isDeflated };
}

function deflated(bytes: Uint8Array): Uint8Array {
  return deflateSync(bytes, { level: 9 });
}

/** PNG's filter "up": successive rows of the table differ little. */
function predictUp(rows: Uint8Array, columns: number): Uint8Array {
  const count = rows.length / columns;
  const out = new Uint8Array(count * (columns + 1));
  for (let y = 0; y < count; y++) {
    out[y * (columns + 1)] = 2;
    for (let x = 0; x < columns; x++) {
      const above = y === 0 ? 0 : (rows[(y - 1) * columns + x] ?? 0);
      out[y * (columns + 1) + 1 + x] = (rows[y * columns + x] ?? 0) - above;
    }
  }
  return out;
}

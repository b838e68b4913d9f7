import type { PDFRawStream } from "pdf-lib";
import type { ByteWindow } from "../../../lib/files/byte-window.ts";

/** The bytes of a file from `from` to `to` - 1. */
export interface BodyRange {
  readonly from: number;
  readonly to: number;
}

/** The bytes of streams that the outline of a PDF leaves out. They stay in the stored file until they are copied. */
export class StreamBodies {
  readonly #file: ByteWindow;
  readonly #pieceBytes: number;
  /** By the place in the outline where the stream ends. */
  readonly #byEnd = new Map<number, BodyRange>();
  readonly #byStream = new WeakMap<PDFRawStream, BodyRange>();

  /** `pieceBytes` is the size of the window's blocks. */
  constructor(file: ByteWindow, pieceBytes: number) {
    this.#file = file;
    this.#pieceBytes = pieceBytes;
  }

  get count(): number {
    return this.#byEnd.size;
  }

  /** `end` is the place in the outline after the stream's `endstream`. */
  add(end: number, range: BodyRange): void {
    this.#byEnd.set(end, range);
  }

  /** Names a stream that the parser has read up to `end` of the outline. */
  found(stream: PDFRawStream, end: number): void {
    const range = this.#byEnd.get(end);
    if (range !== undefined) {
      this.#byStream.set(stream, range);
    }
  }

  /** Where the bytes of a stream are; undefined if the stream has them itself. */
  of(stream: PDFRawStream): BodyRange | undefined {
    return this.#byStream.get(stream);
  }

  /** The bytes in pieces. Throws what the source throws, and Error if the file ends before. */
  async *read({ from, to }: BodyRange): AsyncGenerator<Uint8Array> {
    for (let at = from; at < to;) {
      const blockEnd = (Math.floor(at / this.#pieceBytes) + 1) * this.#pieceBytes;
      // oxlint-disable-next-line no-await-in-loop -- one block at a time is in memory
      const piece = await this.#file.read(at, Math.min(to, blockEnd) - at);
      if (piece.length === 0) {
        throw new Error(`The file ends before ${to}.`);
      }
      yield piece;
      at += piece.length;
    }
  }
}

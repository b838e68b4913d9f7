import type { PDFRawStream } from "pdf-lib";
import type { ByteWindow } from "../../../lib/files/byte-window.ts";
import { decryptedPieces, END_BYTES, type PdfCipher, plainSize } from "./pdf-cipher.ts";

/** The bytes of a file from `from` to `to` - 1. */
export interface BodyRange {
  readonly from: number;
  readonly to: number;
}

/** The bytes of a stream, decrypted, and their number. */
export interface StreamBody {
  readonly sizeBytes: number;
  readonly pieces: AsyncIterable<Uint8Array>;
}

/** The bytes of streams that the outline of a PDF leaves out. They stay in the stored file until they are copied. */
export class StreamBodies {
  readonly #file: ByteWindow;
  readonly #pieceBytes: number;
  /** By the place in the outline where the stream ends. */
  readonly #byEnd = new Map<number, BodyRange>();
  readonly #byStream = new WeakMap<PDFRawStream, BodyRange>();
  readonly #ciphers = new WeakMap<PDFRawStream, PdfCipher>();

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

  /** Says how a stream is encrypted. Returns whether its bytes are here. */
  encrypt(stream: PDFRawStream, cipher: PdfCipher): boolean {
    const isHere = this.#byStream.has(stream);
    if (isHere) {
      this.#ciphers.set(stream, cipher);
    }
    return isHere;
  }

  /** Undefined if the stream has its bytes itself. Throws what the source throws, as `pieces` do, and Error if the file ends before. */
  async open(stream: PDFRawStream): Promise<StreamBody | undefined> {
    const range = this.#byStream.get(stream);
    if (range === undefined) {
      return undefined;
    }
    const size = range.to - range.from;
    const cipher = this.#ciphers.get(stream);
    if (cipher === undefined || cipher.kind === "none") {
      return { sizeBytes: size, pieces: this.#read(range) };
    }
    const endSize = Math.min(size, END_BYTES);
    // Only AES needs the end, and with it the size.
    const end =
      cipher.kind === "aes"
        ? await this.#file.readOnce(range.to - endSize, endSize)
        : new Uint8Array(0);
    const sizeBytes = plainSize(cipher, size, end);
    return { sizeBytes, pieces: decryptedPieces(cipher, this.#read(range), sizeBytes) };
  }

  async *#read({ from, to }: BodyRange): AsyncGenerator<Uint8Array> {
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

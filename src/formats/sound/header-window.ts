import type { ByteSource } from "../../lib/files/byte-source.ts";
import { UnreadableSoundFile } from "./sound-metadata.ts";

const WINDOW_BYTES = 64 * 1024;
/** A header that lies in more places is not one that a program wrote. */
const READS_MAX = 200;

/** Reads small parts of a file anywhere in it, 64 KiB at a time. */
export class HeaderWindow {
  readonly sizeBytes: number;
  readonly #source: ByteSource;
  #start = 0;
  #bytes = new Uint8Array();
  #reads = 0;

  constructor(source: ByteSource) {
    this.#source = source;
    this.sizeBytes = source.sizeBytes;
  }

  /** The bytes from a position, at most 64 KiB. Throws UnreadableSoundFile if the file ends before. */
  async take(from: number, length: number): Promise<DataView> {
    const view = await this.upTo(from, length);
    if (view.byteLength < length) {
      throw new UnreadableSoundFile("ends before its header does.");
    }
    return view;
  }

  /** The same, or fewer bytes if the file ends before. */
  async upTo(from: number, length: number): Promise<DataView> {
    const end = Math.min(from + length, this.sizeBytes);
    if (from < this.#start || end > this.#start + this.#bytes.byteLength) {
      if (++this.#reads > READS_MAX || length > WINDOW_BYTES) {
        throw new UnreadableSoundFile("has a header in too many parts.");
      }
      this.#bytes = new Uint8Array(await this.#source.read(from, from + WINDOW_BYTES));
      this.#start = from;
    }
    const at = from - this.#start;
    const { buffer, byteOffset } = this.#bytes;
    return new DataView(buffer, byteOffset + at, Math.max(0, end - from));
  }
}

/** Latin-1 text of a header. */
export function tagAt(view: DataView, at: number, length = 4): string {
  let tag = "";
  for (let i = at; i < at + length && i < view.byteLength; i++) {
    tag += String.fromCharCode(view.getUint8(i));
  }
  return tag;
}

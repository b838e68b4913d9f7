import type { ByteSource } from "./byte-source.ts";

const BLOCK_BYTES = 1024 * 1024;
/** The header of a file often lies at its end, and sound between pictures: two places are read in turns. */
const BLOCKS_MAX = 3;

/**
 * Reads a file by blocks and keeps the last three of them: 3 MiB by default, whatever the size of the file. Each block is
 * one read of the source.
 */
export class ByteWindow {
  readonly sizeBytes: number;
  readonly #source: ByteSource;
  readonly #blockBytes: number;
  /** By number; the one that was used last is the last one. */
  readonly #blocks = new Map<number, Uint8Array>();

  constructor(source: ByteSource, blockBytes: number = BLOCK_BYTES) {
    this.#source = source;
    this.sizeBytes = source.sizeBytes;
    this.#blockBytes = blockBytes;
  }

  /** Returns the bytes if one kept block contains all of them, without a promise. */
  peek(from: number, length: number): Uint8Array | undefined {
    const number = Math.floor(from / this.#blockBytes);
    const at = from - number * this.#blockBytes;
    const block = this.#blocks.get(number);
    return block !== undefined && at + length <= block.byteLength
      ? block.subarray(at, at + length)
      : undefined;
  }

  /** Returns the bytes from a position, fewer if the file ends before. They may be a view of a kept block. */
  async read(from: number, length: number): Promise<Uint8Array> {
    const end = Math.min(from + length, this.sizeBytes);
    if (end <= from) {
      return new Uint8Array(0);
    }
    const first = Math.floor(from / this.#blockBytes);
    const last = Math.floor((end - 1) / this.#blockBytes);
    if (first === last) {
      const at = from - first * this.#blockBytes;
      return (await this.#block(first)).subarray(at, at + end - from);
    }
    const joined = new Uint8Array(end - from);
    let filled = 0;
    for (let number = first; number <= last; number++) {
      // oxlint-disable-next-line no-await-in-loop -- more than three blocks are not kept
      const block = await this.#block(number);
      const at = from + filled - number * this.#blockBytes;
      const part = block.subarray(at, at + joined.byteLength - filled);
      joined.set(part, filled);
      filled += part.byteLength;
      if (number < last && part.byteLength < this.#blockBytes - at) {
        break;
      }
    }
    return joined.subarray(0, filled);
  }

  /**
   * The bytes from a position, of which nothing is kept: for tables beside the packets that they list, whose blocks stay. Never a view of one.
   * Fewer if the file ends before.
   */
  async readOnce(from: number, length: number): Promise<Uint8Array> {
    const end = Math.min(from + length, this.sizeBytes);
    return this.peek(from, end - from)?.slice() ?? (await this.#source.read(from, end));
  }

  async #block(number: number): Promise<Uint8Array> {
    let block = this.#blocks.get(number);
    if (block === undefined) {
      const from = number * this.#blockBytes;
      const read = await this.#source.read(from, Math.min(from + this.#blockBytes, this.sizeBytes));
      // Without what a subclass changes: Node's Buffer does not copy in `slice`.
      block = new Uint8Array(read.buffer, read.byteOffset, read.byteLength);
    } else {
      this.#blocks.delete(number);
    }
    this.#blocks.set(number, block);
    for (const old of this.#blocks.keys()) {
      if (this.#blocks.size <= BLOCKS_MAX) {
        break;
      }
      this.#blocks.delete(old);
    }
    return block;
  }
}

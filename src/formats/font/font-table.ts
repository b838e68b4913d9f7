import { invalidFont } from "./invalid-font.ts";

/** One table of a font: reads big-endian numbers, and never outside of the table. */
export class FontTable {
  readonly tag: string;
  readonly length: number;
  readonly bytes: Uint8Array;
  readonly #view: DataView;

  constructor(tag: string, bytes: Uint8Array) {
    this.tag = tag;
    this.bytes = bytes;
    this.length = bytes.byteLength;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** Throws FontError unless all `size` bytes from `at` are inside the table. */
  need(at: number, size: number, what: string): void {
    if (at < 0 || at + size > this.length) {
      throw invalidFont(
        `The table ${this.tag.trim()} has ${this.length} bytes, and ${what} would end at byte ${at + size}`,
      );
    }
  }

  u8(at: number): number {
    this.need(at, 1, "a number");
    return this.#view.getUint8(at);
  }

  u16(at: number): number {
    this.need(at, 2, "a number");
    return this.#view.getUint16(at);
  }

  i16(at: number): number {
    this.need(at, 2, "a number");
    return this.#view.getInt16(at);
  }

  u32(at: number): number {
    this.need(at, 4, "a number");
    return this.#view.getUint32(at);
  }

  /** An unsigned number of 1 to 4 bytes. */
  uint(at: number, size: number): number {
    this.need(at, size, "a number");
    let value = 0;
    for (let i = 0; i < size; i++) {
      value = value * 256 + this.#view.getUint8(at + i);
    }
    return value;
  }
}

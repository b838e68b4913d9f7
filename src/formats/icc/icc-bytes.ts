/** Bytes of an ICC profile. Offsets outside of the bytes read as 0 or as an empty text. */
export class IccBytes {
  readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  u8(at: number): number {
    return this.bytes[at] ?? 0;
  }

  u16(at: number): number {
    return this.u8(at) * 256 + this.u8(at + 1);
  }

  u32(at: number): number {
    return this.u16(at) * 65_536 + this.u16(at + 2);
  }

  /** Four characters. */
  signature(at: number): string {
    return String.fromCharCode(...this.bytes.subarray(at, at + 4));
  }
}

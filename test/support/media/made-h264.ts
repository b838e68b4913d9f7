/** A H.264 stream of one picture, written bit by bit, so that its header can state any size. */

class Bits {
  #text = "";

  u(value: number, count: number): this {
    this.#text += value.toString(2).padStart(count, "0");
    return this;
  }

  /** Exponential Golomb code of a number that is not negative. */
  ue(value: number): this {
    const code = (value + 1).toString(2);
    this.#text += "0".repeat(code.length - 1) + code;
    return this;
  }

  align(): this {
    this.#text += "0".repeat(-this.#text.length & 7);
    return this;
  }

  /** The bytes after a stop bit. */
  end(): number[] {
    this.#text += "1";
    this.align();
    return this.bytes();
  }

  bytes(): number[] {
    const found: number[] = [];
    for (let at = 0; at < this.#text.length; at += 8) {
      found.push(Number.parseInt(this.#text.slice(at, at + 8), 2));
    }
    return found;
  }
}

/** Bytes of a NAL unit with a start code, and the bytes that keep its content from looking like one. */
function unit(type: number, content: readonly number[]): number[] {
  const bytes = [0, 0, 0, 1, type];
  let zeros = 0;
  for (const byte of content) {
    if (zeros === 2 && byte <= 3) {
      bytes.push(3);
      zeros = 0;
    }
    bytes.push(byte);
    zeros = byte === 0 ? zeros + 1 : 0;
  }
  return bytes;
}

/** Luma of the only macroblock's rows: 16 to 31. Its chroma is 128. */
const macroblock = [
  ...Array.from({ length: 256 }, (_, i) => 16 + (i >> 4)),
  ...Array.from({ length: 128 }, () => 128),
];

/**
 * A key frame whose header states so many macroblocks (of 16 × 16 pixels) in each direction and that
 * has one, without compression. It is whole if 1 × 1 is stated.
 */
export function madeH264(columns: number, rows: number): Uint8Array<ArrayBuffer> {
  const sequence = new Bits()
    // Baseline profile, level 5.1; frame numbers of 4 bits, the order of output is that of decoding.
    .u(66, 8)
    .u(0, 8)
    .u(51, 8)
    .ue(0)
    .ue(0)
    .ue(2)
    .ue(1)
    .u(0, 1)
    .ue(columns - 1)
    .ue(rows - 1)
    // Frames only, no cropping, no further description.
    .u(1, 1)
    .u(1, 1)
    .u(0, 1)
    .u(0, 1)
    .end();
  const picture = new Bits()
    .ue(0)
    .ue(0)
    .u(0, 1)
    .u(0, 1)
    .ue(0)
    .ue(0)
    .ue(0)
    .u(0, 1)
    .u(0, 2)
    .ue(0)
    .ue(0)
    .ue(0)
    // The slice states whether its edges are smoothed.
    .u(1, 1)
    .u(0, 1)
    .u(0, 1)
    .end();
  const slice = new Bits()
    .ue(0)
    .ue(7)
    .ue(0)
    .u(0, 4)
    .ue(0)
    .u(0, 2)
    .ue(0)
    .ue(1)
    // I_PCM: the samples themselves.
    .ue(25)
    .align();
  return Uint8Array.from([
    ...unit(0x67, sequence),
    ...unit(0x68, picture),
    ...unit(0x65, [...slice.bytes(), ...macroblock, 0x80]),
  ]);
}

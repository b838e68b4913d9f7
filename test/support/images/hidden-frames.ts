/** Data of an AVIF item whose frames are decoded and not shown, made of a frame that libaom coded as a still picture. */

/** Bits of a unit of AV1, first to last. */
class Bits {
  readonly #bits: string;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bits = [...bytes].map((byte) => byte.toString(2).padStart(8, "0")).join("");
  }

  take(count: number): string {
    this.#at += count;
    return this.#bits.slice(this.#at - count, this.#at);
  }

  /** The next bit. Throws if it is another one: the coded frame has other tools than the code here expects. */
  expect(bit: "0" | "1"): string {
    if (this.take(1) !== bit) {
      throw new Error(`The coded frame has another bit at ${this.#at - 1} than ${bit}.`);
    }
    return bit;
  }

  rest(): string {
    return this.#bits.slice(this.#at);
  }
}

const bytesOf = (bits: string) =>
  Uint8Array.from(bits.padEnd(Math.ceil(bits.length / 8) * 8, "0").match(/.{8}/g)!, (byte) =>
    Number.parseInt(byte, 2),
  );

function leb128(length: number): readonly number[] {
  return length < 128 ? [length] : [(length & 127) | 128, ...leb128(length >> 7)];
}

/** A unit of this type, with its size. */
const unit = (type: number, payload: Uint8Array) => [
  (type << 3) | 2,
  ...leb128(payload.length),
  ...payload,
];

/** The payloads of a still picture's sequence header and frame. */
function partsOf(data: Uint8Array): { sequence: Uint8Array; frame: Uint8Array } {
  const found = new Map<number, Uint8Array>();
  for (let at = 0; at < data.length;) {
    const type = data[at++]! >> 3;
    let length = 0;
    for (let shift = 0, more = true; more; shift += 7) {
      const byte = data[at++]!;
      length |= (byte & 127) << shift;
      more = byte > 127;
    }
    found.set(type, data.subarray(at, at + length));
    at += length;
  }
  return { sequence: found.get(1)!, frame: found.get(6)! };
}

/** The header of a still picture as that of a sequence of frames. */
function sequenceOfFrames(still: Uint8Array): Uint8Array {
  const bits = new Bits(still);
  const profile = bits.take(3);
  bits.expect("1");
  bits.expect("1");
  const level = bits.take(5);
  const [widthBits, heightBits] = [bits.take(4), bits.take(4)];
  const sides = bits.take(Number.parseInt(widthBits, 2) + Number.parseInt(heightBits, 2) + 2);
  // Neither still nor reduced, no timing, no delays, one operating point (5 + 12 bits).
  const before = `${profile}0000${"0".repeat(17)}${level}${widthBits}${heightBits}${sides}`;
  // No numbers of frames; then 5 tools between frames are absent, and those for texts on screens are chosen by each frame.
  return bytesOf(`${before}0${bits.take(3)}0000011${bits.rest()}`);
}

/** The frame as a key frame that is kept and not shown. */
function hidden(still: Uint8Array): Uint8Array {
  const bits = new Bits(still);
  // A key frame (3 bits), not shown, showable later, without errors of others; at the end it replaces all kept frames.
  const start = `000011${bits.expect("0")}${bits.expect("0")}0${"1".repeat(8)}`;
  // 16 bits more in all, so that what follows the header begins with a byte.
  return bytesOf(`${start}${bits.expect("0")}1${bits.rest()}`);
}

/** Data of this many frames that are not shown; then the last of them is shown. */
export function withHiddenFrames(data: Uint8Array, count: number): Uint8Array {
  const { sequence, frame } = partsOf(data);
  const frameUnit = unit(6, hidden(frame));
  // Shows the frame of the first place.
  const shown = unit(3, bytesOf("10001000"));
  return Uint8Array.from([
    ...unit(2, new Uint8Array(0)),
    ...unit(1, sequenceOfFrames(sequence)),
    ...Array.from({ length: count }, () => frameUnit).flat(),
    ...shown,
  ]);
}

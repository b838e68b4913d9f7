/** Subframes of FLAC (RFC 9639, section 9.2), for the depths that the wasm of FLAC does not decode. */

/** The bytes are not a frame. */
export class FlacSyntaxError extends Error {
  override readonly name = "FlacSyntaxError";
}

/** Bits of a frame, the most significant first. */
export class FlacBits {
  readonly #bytes: Uint8Array;
  /** In bits. */
  #at: number;

  constructor(bytes: Uint8Array, atByte: number) {
    this.#bytes = bytes;
    this.#at = atByte * 8;
  }

  /** The first byte of which nothing was read. */
  get nextByte(): number {
    return Math.ceil(this.#at / 8);
  }

  /** A number of at most 32 bits, without a sign. */
  read(count: number): number {
    const first = this.#at >> 3;
    const used = this.#at & 7;
    if (count > 0 && count + used <= 32 && first + 4 <= this.#bytes.length) {
      this.#at += count;
      // Four bytes that are there.
      const word =
        ((this.#bytes[first] as number) << 24) |
        ((this.#bytes[first + 1] as number) << 16) |
        ((this.#bytes[first + 2] as number) << 8) |
        (this.#bytes[first + 3] as number);
      return (word << used) >>> (32 - count);
    }
    return this.#readSlowly(count);
  }

  /** The same at the end of the frame, and for numbers that reach into a fifth byte. */
  #readSlowly(count: number): number {
    let value = 0;
    for (let left = count; left > 0;) {
      const byte = this.#bytes[this.#at >> 3];
      if (byte === undefined) {
        throw new FlacSyntaxError("A frame ends within a number.");
      }
      const free = 8 - (this.#at & 7);
      const taken = Math.min(free, left);
      value = value * 2 ** taken + ((byte >> (free - taken)) & (2 ** taken - 1));
      this.#at += taken;
      left -= taken;
    }
    return value;
  }

  /** A number of at most 32 bits in two's complement; 0 without a bit. */
  readSigned(count: number): number {
    const value = this.read(count);
    return count > 0 && value >= 2 ** (count - 1) ? value - 2 ** count : value;
  }

  /**
   * Reads numbers of a Rice code with this parameter (0 to 30) into `out`, from one index to before another: 0, -1, 1, -2, 2 …
   * stand for 0, 1, 2, 3, 4 …
   */
  readRice(parameter: number, out: Float64Array, from: number, to: number): void {
    const bytes = this.#bytes;
    const words = bytes.length - 4;
    let at = this.#at;
    for (let i = from; i < to; i++) {
      const first = at >> 3;
      const used = at & 7;
      if (first <= words) {
        // Four bytes that are there.
        const word =
          (((bytes[first] as number) << 24) |
            ((bytes[first + 1] as number) << 16) |
            ((bytes[first + 2] as number) << 8) |
            (bytes[first + 3] as number)) <<
          used;
        const zeros = Math.clz32(word);
        const length = zeros + 1 + parameter;
        if (length + used <= 32) {
          // Shifts count modulo 32: without further bits there would be the whole word.
          const rest = parameter === 0 ? 0 : (word << (zeros + 1)) >>> (32 - parameter);
          const folded = (zeros << parameter) | rest;
          out[i] = (folded >>> 1) ^ -(folded & 1);
          at += length;
          continue;
        }
      }
      this.#at = at;
      const folded = this.readUnary() * 2 ** parameter + this.read(parameter);
      out[i] = folded % 2 === 0 ? folded / 2 : -(folded + 1) / 2;
      at = this.#at;
    }
    this.#at = at;
  }

  /** The number of zeros before the next one, which is read, too. */
  readUnary(): number {
    let zeros = 0;
    for (;;) {
      const byte = this.#bytes[this.#at >> 3];
      if (byte === undefined) {
        throw new FlacSyntaxError("A frame ends within a number.");
      }
      const used = this.#at & 7;
      const rest = (byte << used) & 0xff;
      if (rest !== 0) {
        const leading = Math.clz32(rest) - 24;
        this.#at += leading + 1;
        return zeros + leading;
      }
      zeros += 8 - used;
      this.#at += 8 - used;
    }
  }
}

const FIXED_COEFFICIENTS: readonly (readonly number[])[] = [
  [],
  [1],
  [2, -1],
  [3, -3, 1],
  [4, -6, 4, -1],
];

/**
 * Reads the samples of a subframe, whole numbers of `depth` bits (at most 32), into `out`, which is as long as the block. All
 * sums stay below 2^53, so that doubles hold them exactly. Throws FlacSyntaxError.
 */
export function readSubframe(bits: FlacBits, depth: number, out: Float64Array): void {
  if (bits.read(1) !== 0) {
    throw new FlacSyntaxError("A subframe begins with a one.");
  }
  const type = bits.read(6);
  const wasted = bits.read(1) === 0 ? 0 : bits.readUnary() + 1;
  const own = depth - wasted;
  if (own < 1) {
    throw new FlacSyntaxError("A subframe has no bits left.");
  }
  if (type === 0) {
    out.fill(bits.readSigned(own));
  } else if (type === 1) {
    readPlain(bits, own, out, out.length);
  } else if (type >= 8 && type <= 12) {
    readPredicted(bits, own, out, { order: type - 8 });
  } else if (type >= 32) {
    readPredicted(bits, own, out, { order: type - 31, isLinear: true });
  } else {
    throw new FlacSyntaxError("A subframe has a reserved type.");
  }
  if (wasted > 0) {
    const factor = 2 ** wasted;
    for (let i = 0; i < out.length; i++) {
      out[i] = (out[i] as number) * factor;
    }
  }
}

function readPlain(bits: FlacBits, depth: number, out: Float64Array, count: number): void {
  for (let i = 0; i < count; i++) {
    out[i] = bits.readSigned(depth);
  }
}

/** Samples by a prediction from those before, and what it missed. */
function readPredicted(
  bits: FlacBits,
  depth: number,
  out: Float64Array,
  { order, isLinear = false }: { readonly order: number; readonly isLinear?: boolean },
): void {
  if (order > out.length) {
    throw new FlacSyntaxError("A subframe is shorter than its predictor.");
  }
  readPlain(bits, depth, out, order);
  const predictor = isLinear ? readPredictor(bits, order) : fixedPredictor(order);
  readResidual(bits, order, out);
  restore(out, predictor, depth);
}

interface Predictor {
  /** Of the sample before, of the one before it, and so on. */
  readonly coefficients: Float64Array;
  readonly divisor: number;
}

function fixedPredictor(order: number): Predictor {
  return { coefficients: Float64Array.from(FIXED_COEFFICIENTS[order] ?? []), divisor: 1 };
}

function readPredictor(bits: FlacBits, order: number): Predictor {
  const precision = bits.read(4) + 1;
  const shift = bits.readSigned(5);
  if (precision === 16 || shift < 0) {
    throw new FlacSyntaxError("A predictor has a form that is not allowed.");
  }
  const coefficients = Float64Array.from({ length: order }, () => bits.readSigned(precision));
  return { coefficients, divisor: 2 ** shift };
}

/** What the prediction missed, in partitions of equal length with a Rice code each. */
function readResidual(bits: FlacBits, order: number, out: Float64Array): void {
  const method = bits.read(2);
  if (method > 1) {
    throw new FlacSyntaxError("A residual has a reserved code.");
  }
  const parameterBits = method === 0 ? 4 : 5;
  const escape = 2 ** parameterBits - 1;
  const partitions = 2 ** bits.read(4);
  const length = out.length / partitions;
  if (!Number.isInteger(length) || length < order) {
    throw new FlacSyntaxError("A residual has partitions that do not fit the block.");
  }
  for (let at = order, end = length; end <= out.length; end += length) {
    const parameter = bits.read(parameterBits);
    if (parameter === escape) {
      const plainBits = bits.read(5);
      for (; at < end; at++) {
        out[at] = bits.readSigned(plainBits);
      }
      continue;
    }
    bits.readRice(parameter, out, at, end);
    at = end;
  }
}

/** Adds the prediction to what it missed. */
function restore(out: Float64Array, { coefficients, divisor }: Predictor, depth: number): void {
  const order = coefficients.length;
  const limit = 2 ** (depth - 1);
  // Exact, because both are powers of two.
  const share = 1 / divisor;
  for (let at = order; at < out.length; at++) {
    let sum = 0;
    for (let i = 0; i < order; i++) {
      // The loop stays within both arrays.
      sum += (coefficients[i] as number) * (out[at - 1 - i] as number);
    }
    const sample = Math.floor(sum * share) + (out[at] as number);
    if (!(sample >= -limit && sample < limit)) {
      throw new FlacSyntaxError("A sample has more bits than its subframe.");
    }
    out[at] = sample;
  }
}

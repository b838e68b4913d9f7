/**
 * K-weighting of ITU-R BS.1770-4 for any sampling rate: a shelf for the acoustic effect of the head, then a high pass. Typed
 * arrays are read within their bounds; `as number` removes the `undefined` that the type checker adds.
 */

/** Coefficients of both filters, divided by their a0. The high pass has b = [1, -2, 1]. */
interface KCoefficients {
  readonly shelf: readonly [b0: number, b1: number, b2: number, a1: number, a2: number];
  readonly highPass: readonly [a1: number, a2: number];
}

/** Analog prototypes that give the coefficients of BS.1770-4 at 48 kHz. */
const SHELF = { hertz: 1681.974450955533, gainDb: 3.999843853973347, q: 0.7071752369554196 };
const SHELF_EXPONENT = 0.4996667741545416;
const HIGH_PASS = { hertz: 38.13547087602444, q: 0.5003270373238773 };

/** Amplitudes below this are far below every figure of a report, and slow once they are denormal. */
const NOTHING = 1e-20;

function coefficientsOf(sampleRate: number): KCoefficients {
  const k = Math.tan((Math.PI * SHELF.hertz) / sampleRate);
  const high = 10 ** (SHELF.gainDb / 20);
  const band = high ** SHELF_EXPONENT;
  const a0 = 1 + k / SHELF.q + k * k;
  const h = Math.tan((Math.PI * HIGH_PASS.hertz) / sampleRate);
  const c0 = 1 + h / HIGH_PASS.q + h * h;
  return {
    shelf: [
      (high + (band * k) / SHELF.q + k * k) / a0,
      (2 * (k * k - high)) / a0,
      (high - (band * k) / SHELF.q + k * k) / a0,
      (2 * (k * k - 1)) / a0,
      (1 - k / SHELF.q + k * k) / a0,
    ],
    highPass: [(2 * (h * h - 1)) / c0, (1 - h / HIGH_PASS.q + h * h) / c0],
  };
}

/** Weights of channels for BS.1770-4: of 5 and more (L R C [LFE] Ls Rs …) surrounds 1.41, LFE 0. */
export function channelWeights(channels: number): readonly number[] {
  return Array.from({ length: channels }, (_, channel) => {
    if (channels < 5 || channel < 3) {
      return 1;
    }
    return channels > 5 && channel === 3 ? 0 : 1.41;
  });
}

/** Sums the squares of one channel's weighted samples; its state continues from call to call. */
export class KWeighting {
  readonly #coefficients: KCoefficients;
  #s0 = 0;
  #s1 = 0;
  #h0 = 0;
  #h1 = 0;

  constructor(sampleRate: number) {
    this.#coefficients = coefficientsOf(sampleRate);
  }

  /** The sum of squares of the weighted samples `from` to `to` - 1. */
  sumOfSquares(samples: Float32Array, from: number, to: number): number {
    const [b0, b1, b2, a1, a2] = this.#coefficients.shelf;
    const [c1, c2] = this.#coefficients.highPass;
    let s0 = this.#s0;
    let s1 = this.#s1;
    let h0 = this.#h0;
    let h1 = this.#h1;
    let sum = 0;
    for (let i = from; i < to; i++) {
      const x = samples[i] as number;
      const y = b0 * x + s0;
      s0 = b1 * x - a1 * y + s1;
      s1 = b2 * x - a2 * y;
      const z = y + h0;
      h0 = h1 - 2 * y - c1 * z;
      h1 = y - c2 * z;
      sum += z * z;
    }
    this.#s0 = Math.abs(s0) < NOTHING ? 0 : s0;
    this.#s1 = Math.abs(s1) < NOTHING ? 0 : s1;
    this.#h0 = Math.abs(h0) < NOTHING ? 0 : h0;
    this.#h1 = Math.abs(h1) < NOTHING ? 0 : h1;
    return sum;
  }
}

/**
 * Fourier transforms of real signals. Typed arrays are read within their bounds; `as number` removes the `undefined` that the
 * type checker adds.
 */

/** Transforms real signals of a power of two of samples to size / 2 + 1 bins, and back. */
export class RealFourier {
  readonly #half: number;
  readonly #re: Float64Array;
  readonly #im: Float64Array;
  readonly #reversed: Uint32Array;
  /** cos and sin of 2πk / size, for k up to half the size. */
  readonly #cos: Float64Array;
  readonly #sin: Float64Array;

  constructor(size: number) {
    const half = size / 2;
    this.#half = half;
    this.#re = new Float64Array(half);
    this.#im = new Float64Array(half);
    const bits = Math.log2(half);
    this.#reversed = Uint32Array.from({ length: half }, (_, index) => {
      let reversed = 0;
      for (let bit = 0; bit < bits; bit++) {
        reversed |= ((index >> bit) & 1) << (bits - 1 - bit);
      }
      return reversed;
    });
    const angles = Float64Array.from({ length: half + 1 }, (_, k) => (2 * Math.PI * k) / size);
    this.#cos = angles.map((angle) => Math.cos(angle));
    this.#sin = angles.map((angle) => Math.sin(angle));
  }

  forward(signal: Float64Array, re: Float64Array, im: Float64Array): void {
    const half = this.#half;
    for (let i = 0; i < half; i++) {
      const to = this.#reversed[i] as number;
      this.#re[to] = signal[2 * i] as number;
      this.#im[to] = signal[2 * i + 1] as number;
    }
    this.#transform();
    for (let k = 0; k <= half; k++) {
      const a = k === half ? 0 : k;
      const b = k === 0 ? 0 : half - k;
      const evenRe = ((this.#re[a] as number) + (this.#re[b] as number)) / 2;
      const evenIm = ((this.#im[a] as number) - (this.#im[b] as number)) / 2;
      const oddRe = ((this.#im[a] as number) + (this.#im[b] as number)) / 2;
      const oddIm = ((this.#re[b] as number) - (this.#re[a] as number)) / 2;
      const cos = this.#cos[k] as number;
      const sin = this.#sin[k] as number;
      re[k] = evenRe + oddRe * cos + oddIm * sin;
      im[k] = evenIm + oddIm * cos - oddRe * sin;
    }
  }

  inverse(re: Float64Array, im: Float64Array, signal: Float64Array): void {
    const half = this.#half;
    for (let k = 0; k < half; k++) {
      const b = half - k;
      const evenRe = ((re[k] as number) + (re[b] as number)) / 2;
      const evenIm = ((im[k] as number) - (im[b] as number)) / 2;
      const differenceRe = ((re[k] as number) - (re[b] as number)) / 2;
      const differenceIm = ((im[k] as number) + (im[b] as number)) / 2;
      const cos = this.#cos[k] as number;
      const sin = this.#sin[k] as number;
      const oddRe = differenceRe * cos - differenceIm * sin;
      const oddIm = differenceRe * sin + differenceIm * cos;
      // Conjugated, so that the forward transform inverts.
      const to = this.#reversed[k] as number;
      this.#re[to] = evenRe - oddIm;
      this.#im[to] = -(evenIm + oddRe);
    }
    this.#transform();
    for (let i = 0; i < half; i++) {
      signal[2 * i] = (this.#re[i] as number) / half;
      signal[2 * i + 1] = -(this.#im[i] as number) / half;
    }
  }

  /** Of complex values in bit-reversed order, in place. */
  #transform(): void {
    const size = this.#half;
    const re = this.#re;
    const im = this.#im;
    for (let span = 1; span < size; span *= 2) {
      const step = size / span;
      for (let k = 0; k < span; k++) {
        const cos = this.#cos[k * step] as number;
        const sin = this.#sin[k * step] as number;
        for (let a = k; a < size; a += 2 * span) {
          const b = a + span;
          const bRe = (re[b] as number) * cos + (im[b] as number) * sin;
          const bIm = (im[b] as number) * cos - (re[b] as number) * sin;
          const aRe = re[a] as number;
          const aIm = im[a] as number;
          re[a] = aRe + bRe;
          im[a] = aIm + bIm;
          re[b] = aRe - bRe;
          im[b] = aIm - bIm;
        }
      }
    }
  }
}

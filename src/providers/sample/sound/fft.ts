/** A fast Fourier transform of a power of two (radix 2, in place), with its tables. */
export class Fft {
  readonly size: number;
  readonly #cos: Float64Array;
  readonly #sin: Float64Array;
  readonly #reversed: Uint32Array;

  constructor(size: number) {
    this.size = size;
    const turn = (i: number) => (2 * Math.PI * i) / size;
    this.#cos = Float64Array.from({ length: size / 2 }, (_, i) => Math.cos(turn(i)));
    this.#sin = Float64Array.from({ length: size / 2 }, (_, i) => Math.sin(turn(i)));
    const bits = Math.log2(size);
    this.#reversed = Uint32Array.from({ length: size }, (_, i) => {
      let reversed = 0;
      for (let bit = 0; bit < bits; bit++) {
        reversed |= ((i >> bit) & 1) << (bits - 1 - bit);
      }
      return reversed;
    });
  }

  /** Without scaling: the inverse (`direction` 1) of a transform is `size` times the input. */
  transform(real: Float64Array, imaginary: Float64Array, direction: 1 | -1): void {
    const { size } = this;
    for (let i = 0; i < size; i++) {
      const j = this.#reversed[i] as number;
      if (j > i) {
        swap(real, i, j);
        swap(imaginary, i, j);
      }
    }
    const cos = this.#cos;
    const sin = this.#sin;
    for (let half = 1; half < size; half *= 2) {
      const step = size / (half * 2);
      for (let k = 0; k < half; k++) {
        const c = cos[k * step] as number;
        const s = (sin[k * step] as number) * direction;
        for (let a = k; a < size; a += half * 2) {
          const b = a + half;
          const re = real[b] as number;
          const im = imaginary[b] as number;
          const turnedRe = re * c - im * s;
          const turnedIm = re * s + im * c;
          real[b] = (real[a] as number) - turnedRe;
          imaginary[b] = (imaginary[a] as number) - turnedIm;
          real[a] = (real[a] as number) + turnedRe;
          imaginary[a] = (imaginary[a] as number) + turnedIm;
        }
      }
    }
  }
}

function swap(values: Float64Array, i: number, j: number): void {
  const value = values[i] as number;
  values[i] = values[j] as number;
  values[j] = value;
}

/** Radius of the kernel in source pixels, when nothing shrinks. */
const LOBES = 3;

/** Fractional bits of a weight. */
export const WEIGHT_BITS = 14;
const ONE = 1 << WEIGHT_BITS;

/** For each new pixel, the old pixels that it is a weighted mean of. */
export interface LanczosTable {
  /** Index of the first old pixel, by new pixel. */
  readonly first: Int32Array;
  /** Number of old pixels for each new pixel. */
  readonly taps: number;
  /** `taps` weights for each new pixel; their sum is 1 << `WEIGHT_BITS`. */
  readonly weights: Int16Array;
}

/**
 * Weights of a Lanczos kernel with 3 lobes for the new pixels `start` to `start + count`. `step` is the distance of two
 * new pixels in old ones; there are `from` old pixels, and the outermost are repeated beyond the edges. If the picture
 * shrinks, the kernel is widened accordingly. `first` never decreases.
 */
export function lanczosTable(
  from: number,
  step: number,
  start: number,
  count: number,
): LanczosTable {
  const first = new Int32Array(count);
  if (step === 1) {
    // The kernel is 0 at all other pixels.
    return {
      first: first.map((_, i) => start + i),
      taps: 1,
      weights: new Int16Array(count).fill(ONE),
    };
  }
  const widening = Math.max(1, step);
  const radius = LOBES * widening;
  const taps = lanczosTaps(from, step);
  const weights = new Int16Array(count * taps);
  const line = new Float64Array(taps);
  for (let i = 0; i < count; i++) {
    const center = (start + i + 0.5) * step - 0.5;
    const begin = Math.floor(center - radius) + 1;
    const end = Math.min(begin + Math.ceil(2 * radius), Math.ceil(center + radius));
    const low = Math.min(Math.max(0, begin), from - taps);
    let sum = 0;
    line.fill(0);
    for (let pixel = begin; pixel < end; pixel++) {
      const weight = lanczos((pixel - center) / widening);
      const place = Math.min(Math.max(0, pixel), from - 1) - low;
      line[place] = (line[place] as number) + weight;
      sum += weight;
    }
    first[i] = low;
    quantize(line, sum, weights, i * taps);
  }
  return { first, taps, weights };
}

/** Number of old pixels for each new pixel. */
export function lanczosTaps(from: number, step: number): number {
  return step === 1 ? 1 : Math.min(from, Math.ceil(2 * LOBES * Math.max(1, step)));
}

function lanczos(x: number): number {
  if (Math.abs(x) < 1e-9) {
    return 1;
  }
  if (Math.abs(x) >= LOBES) {
    return 0;
  }
  const angle = Math.PI * x;
  return (LOBES * Math.sin(angle) * Math.sin(angle / LOBES)) / (angle * angle);
}

/** Writes the weights as integers with an exact sum. */
function quantize(line: Float64Array, sum: number, out: Int16Array, at: number): void {
  let [total, largest] = [0, 0];
  for (let i = 0; i < line.length; i++) {
    const weight = Math.round(((line[i] as number) / sum) * ONE);
    out[at + i] = weight;
    total += weight;
    if (weight > (out[at + largest] as number)) {
      largest = i;
    }
  }
  out[at + largest] = (out[at + largest] as number) + ONE - total;
}

/** Returns the value below which a fraction of the samples lies, by linear interpolation. */
export function quantile(samples: readonly number[], fraction: number): number {
  const sorted = [...samples].sort((a, b) => a - b);
  const at = (sorted.length - 1) * fraction;
  const low = sorted[Math.floor(at)];
  const high = sorted[Math.ceil(at)];
  if (low === undefined || high === undefined) {
    throw new RangeError("No samples.");
  }
  return low + (high - low) * (at - Math.floor(at));
}

export function median(samples: readonly number[]): number {
  return quantile(samples, 0.5);
}

/** Median and middle half, with the samples. */
export interface Spread {
  readonly median: number;
  readonly low: number;
  readonly high: number;
  readonly count: number;
  /** Every sample in the order of measurement, to four digits. The oldest kept rows lack it. */
  readonly samples?: readonly number[];
}

export function spread(samples: readonly number[]): Spread {
  return {
    median: median(samples),
    low: quantile(samples, 0.25),
    high: quantile(samples, 0.75),
    count: samples.length,
    samples: samples.map((sample) => Number(sample.toPrecision(4))),
  };
}

/** A quantile of many samples as a figure. It keeps the raw samples, because the middle half would mislead. */
export function tail(samples: readonly number[], fraction: number): Spread {
  const value = quantile(samples, fraction);
  return { ...spread(samples), median: value, low: value, high: value };
}

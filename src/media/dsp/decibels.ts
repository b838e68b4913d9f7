/** Amplitude of a level in dB relative to full scale (0 dBFS = 1.0). */
export function toAmplitude(db: number): number {
  return 10 ** (db / 20);
}

/** Level of an amplitude in dB relative to full scale; null for silence, which has none. */
export function toDecibels(amplitude: number): number | null {
  return amplitude > 0 ? 20 * Math.log10(amplitude) : null;
}

/** A figure of a report, with three decimals; never -0. */
export function toThousandths(value: number): number;
export function toThousandths(value: number | null): number | null;
export function toThousandths(value: number | null): number | null {
  return value === null ? null : Math.round(value * 1000) / 1000 + 0;
}

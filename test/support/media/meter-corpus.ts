/** Sounds with which our meter is compared with that of FFmpeg, each synthesized from its number. */
import { amplitudeOf, joined, noise, pinkNoise, randomNumbers, silence, sine } from "./signals.ts";

export interface CorpusSound {
  readonly name: string;
  readonly sampleRate: number;
  readonly make: () => readonly Float32Array[];
}

type Kind = (sampleRate: number, seed: number) => Float32Array;

/** Bursts of noise with pauses, whose level changes by up to 20 dB. */
const bursts: Kind = (sampleRate, seed) => {
  const next = randomNumbers(seed);
  const parts: Float32Array[] = [];
  for (let seconds = 0; seconds < 9;) {
    const loud = 0.05 + 0.6 * next();
    const quiet = next() < 0.3 ? 0.4 + next() : 0.1 * next();
    parts.push(
      noise(Math.round(loud * sampleRate), amplitudeOf(-3 - 20 * next()), seed + parts.length),
      silence(sampleRate, quiet),
    );
    seconds += loud + quiet;
  }
  return joined(...parts);
};

const KINDS: Readonly<Record<string, Kind>> = {
  bursts,
  pink: (sampleRate, seed) => pinkNoise(5 * sampleRate, 0.1, seed),
  clipped: (sampleRate, seed) =>
    noise(4 * sampleRate, 2.5, seed).map((x) => Math.max(-1, Math.min(1, x))),
  chord: (sampleRate, seed) => {
    const next = randomNumbers(seed);
    const tones = Array.from({ length: 4 }, () =>
      sine(sampleRate, 5, 80 + 1200 * next(), -14, 6 * next()),
    );
    return tones[0]!.map((_, i) => tones.reduce((sum, tone) => sum + tone[i]!, 0));
  },
  steps: (sampleRate, seed) =>
    joined(
      ...[-40, -12, -26, -6, -33].map((db, i) =>
        pinkNoise(3 * sampleRate, amplitudeOf(db - 14), seed + i),
      ),
    ),
  quarter: (sampleRate, seed) => {
    const tone = sine(sampleRate, 4, sampleRate / 4, -6, Math.PI / (3 + (seed % 3)));
    return tone.map((x, i) => x * Math.min(1, i / 960, (tone.length - i) / 960));
  },
  clicks: (sampleRate, seed) => {
    const next = randomNumbers(seed);
    const sound = pinkNoise(5 * sampleRate, 0.02, seed);
    for (let i = 0; i < 8; i++) {
      sound[Math.floor(next() * sound.length)] = 0.9;
    }
    return sound;
  },
};

const SHAPES: readonly (readonly [sampleRate: number, channels: number])[] = [
  [48_000, 2],
  [44_100, 2],
  [48_000, 1],
  [96_000, 2],
  [32_000, 2],
  [48_000, 6],
  [44_100, 1],
  [16_000, 1],
  [192_000, 2],
];

/** 20 s of noise whose level rises and falls by some dB every few seconds, as that of a programme does. */
const swelling =
  (db: number, seconds: number): Kind =>
  (sampleRate, seed) =>
    pinkNoise(20 * sampleRate, 0.1, seed).map(
      (x, i) => x * amplitudeOf(db * Math.sin((2 * Math.PI * i) / (seconds * sampleRate))),
    );

const PROGRAMMES: Readonly<Record<string, Kind>> = {
  swells: swelling(4, 9),
  waves: swelling(2.5, 13),
};

const MAX_RATE_OF_PROGRAMMES = 48_000;

/** 75 sounds: each short kind in each shape, and each programme in those of up to 48 kHz and 2 channels. */
export const METER_CORPUS: readonly CorpusSound[] = SHAPES.flatMap(
  ([sampleRate, channels], shape) => {
    const isSmall = sampleRate <= MAX_RATE_OF_PROGRAMMES && channels <= 2;
    return Object.entries({ ...KINDS, ...(isSmall ? PROGRAMMES : {}) }).map(
      ([kind, make], number) => ({
        name: `${kind}-${sampleRate}-${channels}`,
        sampleRate,
        make: () => {
          const first = make(sampleRate, 100 * shape + number);
          // Other channels are the first, later and quieter, so that they are alike and not the same.
          return Array.from({ length: channels }, (_, channel) =>
            first.map((_sample, i) => (first[i - 7 * channel] ?? 0) * 0.9 ** channel),
          );
        },
      }),
    );
  },
);

import type { StemName } from "../../../contracts/models/model-calls.ts";
import { Fft } from "./fft.ts";
import type { Sound } from "./wav-reader.ts";

/** Interleaved samples of all channels, the same number for each stem. */
export type StemBlock = Readonly<Record<StemName, Float32Array>>;

const SIZE = 2_048;
const HOP = SIZE / 2;
const BINS = SIZE / 2 + 1;

const BASS_HZ = 150;
const CENTER_FROM_HZ = 200;
const CENTER_TO_HZ = 6_000;

/** Frames before and after the current one, for the median over time. */
const REACH = 6;
/** Bins below and above, for the median over frequency. */
const SPREAD = 6;

/**
 * The sample stem separation: a short-time Fourier transform (Hann windows of 2,048 samples, half of
 * it new) whose bins are shared out by masks. Drums are what lasts short and covers many frequencies
 * (D. FitzGerald, "Harmonic/percussive separation using median filtering", 2010), vocals what is equal
 * in both channels from 200 to 6,000 Hz; a mono file is all center. `other` is the input without the
 * rest, so that the stems sum to the input. Holds 13 windows.
 */
export async function* separateStems(sound: Sound): AsyncGenerator<StemBlock> {
  const separator = new Separator(sound.channels, sound.sampleRate);
  let left = sound.frames;
  const fresh = new Float32Array(HOP * sound.channels);
  let filled = 0;
  const take = function* (block: StemBlock | undefined): Generator<StemBlock> {
    if (block !== undefined && left > 0) {
      const count = Math.min(left, HOP) * sound.channels;
      left -= HOP;
      yield {
        vocals: block.vocals.subarray(0, count),
        drums: block.drums.subarray(0, count),
        bass: block.bass.subarray(0, count),
        other: block.other.subarray(0, count),
      };
    }
  };
  for await (const samples of sound.blocks()) {
    for (let at = 0; at < samples.length;) {
      const count = Math.min(samples.length - at, fresh.length - filled);
      fresh.set(samples.subarray(at, at + count), filled);
      filled += count;
      at += count;
      if (filled === fresh.length) {
        yield* take(separator.add(fresh));
        filled = 0;
      }
    }
  }
  fresh.fill(0, filled);
  while (left > 0) {
    yield* take(separator.add(fresh));
    fresh.fill(0);
  }
}

/** One window: spectra of pairs of channels, and the magnitudes that the masks follow from. */
interface Window {
  readonly real: readonly Float64Array[];
  readonly imaginary: readonly Float64Array[];
  readonly magnitude: Float32Array;
  /** The samples that leave when this window has been added to the one before. */
  readonly input: Float32Array;
}

class Separator {
  readonly #channels: number;
  readonly #fft = new Fft(SIZE);
  readonly #hann = Float64Array.from({ length: SIZE }, (_, i) =>
    Math.sin((Math.PI * (i + 0.5)) / SIZE),
  );
  readonly #bassShare: Float32Array;
  readonly #centerShare: Float32Array;
  readonly #windows: Window[] = [];
  /** The spectrum that is transformed back, real and imaginary. */
  readonly #masked = [new Float64Array(SIZE), new Float64Array(SIZE)] as const;
  readonly #tails: Readonly<Record<"vocals" | "drums" | "bass", Float64Array>>;
  #last: Float32Array;
  #skipped = 0;

  constructor(channels: number, sampleRate: number) {
    this.#channels = channels;
    this.#last = new Float32Array(HOP * channels);
    const hertz = (bin: number) => (bin * sampleRate) / SIZE;
    this.#bassShare = Float32Array.from({ length: BINS }, (_, bin) =>
      below(hertz(bin), BASS_HZ, 20),
    );
    this.#centerShare = Float32Array.from(
      { length: BINS },
      (_, bin) =>
        (1 - below(hertz(bin), CENTER_FROM_HZ, 25)) * below(hertz(bin), CENTER_TO_HZ, 300),
    );
    const tail = () => new Float64Array(HOP * channels);
    this.#tails = { vocals: tail(), drums: tail(), bass: tail() };
  }

  /** Adds the next samples, and returns those of some windows ago; undefined at the beginning. */
  add(fresh: Float32Array): StemBlock | undefined {
    this.#windows.push(this.#analyze(fresh));
    if (this.#windows.length <= REACH) {
      return undefined;
    }
    const index = Math.min(this.#windows.length - 1 - REACH, REACH);
    const block = this.#synthesize(index);
    if (this.#windows.length > REACH * 2) {
      this.#windows.shift();
    }
    // The first window reaches back before the beginning.
    this.#skipped++;
    return this.#skipped === 1 ? undefined : block;
  }

  #analyze(fresh: Float32Array): Window {
    const channels = this.#channels;
    const [real, imaginary]: [Float64Array[], Float64Array[]] = [[], []];
    for (let first = 0; first < channels; first += 2) {
      const [re, im] = [new Float64Array(SIZE), new Float64Array(SIZE)];
      for (let i = 0; i < SIZE; i++) {
        const from = i < HOP ? this.#last : fresh;
        const at = (i % HOP) * channels + first;
        const weight = this.#hann[i] as number;
        re[i] = (from[at] as number) * weight;
        im[i] = first + 1 < channels ? (from[at + 1] as number) * weight : 0;
      }
      this.#fft.transform(re, im, -1);
      real.push(re);
      imaginary.push(im);
    }
    const window = { real, imaginary, magnitude: magnitudes(real, imaginary), input: this.#last };
    this.#last = fresh.slice();
    return window;
  }

  #synthesize(index: number): StemBlock {
    const window = this.#windows[index] as Window;
    const masks = this.#masks(index);
    const length = HOP * this.#channels;
    const part = (name: "vocals" | "drums" | "bass") =>
      this.#overlap(window, masks[name], this.#tails[name], length);
    const [vocals, drums, bass] = [part("vocals"), part("drums"), part("bass")];
    const other = Float32Array.from(
      window.input,
      (sample, i) => sample - (vocals[i] as number) - (drums[i] as number) - (bass[i] as number),
    );
    return { vocals, drums, bass, other };
  }

  /** Masked spectra back to samples: the first half, added to the second half of the window before. */
  #overlap(window: Window, mask: Float32Array, tail: Float64Array, length: number): Float32Array {
    const out = new Float32Array(length);
    for (const [pair, re] of window.real.entries()) {
      const [real, imaginary] = this.#masked;
      const im = window.imaginary[pair] as Float64Array;
      for (let bin = 0; bin < SIZE; bin++) {
        const share = mask[bin < BINS ? bin : SIZE - bin] as number;
        real[bin] = (re[bin] as number) * share;
        imaginary[bin] = (im[bin] as number) * share;
      }
      this.#fft.transform(real, imaginary, 1);
      for (const [side, samples] of [real, imaginary].entries()) {
        const channel = pair * 2 + side;
        if (channel >= this.#channels) {
          continue;
        }
        for (let i = 0; i < HOP; i++) {
          const at = i * this.#channels + channel;
          const first = ((samples[i] as number) * (this.#hann[i] as number)) / SIZE;
          out[at] = (tail[at] as number) + first;
          tail[at] = ((samples[i + HOP] as number) * (this.#hann[i + HOP] as number)) / SIZE;
        }
      }
    }
    return out;
  }

  #masks(index: number) {
    const window = this.#windows[index] as Window;
    const [vocals, drums, bass] = [0, 1, 2].map(() => new Float32Array(BINS)) as [
      Float32Array,
      Float32Array,
      Float32Array,
    ];
    const around = this.#windows.slice(Math.max(0, index - REACH), index + REACH + 1);
    const column = new Float32Array(around.length);
    const row = new Float32Array(SPREAD * 2 + 1);
    for (let bin = 0; bin < BINS; bin++) {
      for (let i = 0; i < around.length; i++) {
        column[i] = (around[i] as Window).magnitude[bin] as number;
      }
      for (let i = 0; i < row.length; i++) {
        const near = Math.min(BINS - 1, Math.max(0, bin + i - SPREAD));
        row[i] = window.magnitude[near] as number;
      }
      const [lasting, broad] = [median(column) ** 2, median(row) ** 2];
      const percussive = lasting + broad === 0 ? 0 : broad / (lasting + broad);
      const low = this.#bassShare[bin] as number;
      bass[bin] = low;
      drums[bin] = (1 - low) * percussive ** 2;
      const rest = 1 - low - (drums[bin] as number);
      vocals[bin] =
        rest * (this.#centerShare[bin] as number) * centered(window, bin, this.#channels);
    }
    return { vocals, drums, bass };
  }
}

/** 1 below a frequency, 0 above, with a smooth step of about twice the width. */
function below(hertz: number, border: number, width: number): number {
  return 1 / (1 + Math.exp((hertz - border) / (width / 4)));
}

/** Spectra of the two real signals that were transformed as one complex signal, at one bin. */
function pairAt(re: Float64Array, im: Float64Array, bin: number) {
  const mirror = (SIZE - bin) % SIZE;
  const [a, b] = [re[bin] as number, im[bin] as number];
  const [c, d] = [re[mirror] as number, im[mirror] as number];
  return { leftRe: (a + c) / 2, leftIm: (b - d) / 2, rightRe: (b + d) / 2, rightIm: (c - a) / 2 };
}

function magnitudes(real: readonly Float64Array[], imaginary: readonly Float64Array[]) {
  const sums = new Float32Array(BINS);
  for (const [pair, re] of real.entries()) {
    for (let bin = 0; bin < BINS; bin++) {
      const { leftRe, leftIm, rightRe, rightIm } = pairAt(re, imaginary[pair] as Float64Array, bin);
      sums[bin] = (sums[bin] as number) + leftRe ** 2 + leftIm ** 2 + rightRe ** 2 + rightIm ** 2;
    }
  }
  return sums.map(Math.sqrt);
}

/** How equal the first two channels are at a bin, 0 to 1. */
function centered(window: Window, bin: number, channels: number): number {
  if (channels === 1) {
    return 1;
  }
  const { leftRe, leftIm, rightRe, rightIm } = pairAt(
    window.real[0] as Float64Array,
    window.imaginary[0] as Float64Array,
    bin,
  );
  const power = leftRe ** 2 + leftIm ** 2 + rightRe ** 2 + rightIm ** 2;
  const common = 2 * (leftRe * rightRe + leftIm * rightIm);
  return power === 0 ? 0 : Math.max(0, common / power) ** 4;
}

/** Sorts in place: the lists are short. */
function median(values: Float32Array): number {
  for (let i = 1; i < values.length; i++) {
    const value = values[i] as number;
    let j = i - 1;
    for (; j >= 0 && (values[j] as number) > value; j--) {
      values[j + 1] = values[j] as number;
    }
    values[j + 1] = value;
  }
  return values[values.length >> 1] as number;
}

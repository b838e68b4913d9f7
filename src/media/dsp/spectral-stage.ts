/**
 * A stage that changes the spectrum of overlapping windows. Typed arrays are read within their bounds; `as number` removes the
 * `undefined` that the type checker adds.
 */
import type { AudioBlock, SoundShape } from "../audio-block.ts";
import { RealFourier } from "./fourier.ts";
import { FrameQueue } from "./frame-queue.ts";
import type { SoundStage } from "./sound-stage.ts";

/** One channel's spectrum of a window; to be changed in place. */
export interface Spectrum {
  readonly re: Float64Array;
  readonly im: Float64Array;
}

/** Windows overlap four times. */
const OVERLAP = 4;
/** Nearest duration of a window, in seconds; its frames are a power of two. */
const WINDOW_SECONDS = 0.0213;
/** Sum of the squared Hann windows that overlap at a frame. */
const WINDOW_SUM = 1.5;

/** Frames of a window at a rate. */
export function windowFrames(sampleRate: number): number {
  return 2 ** Math.round(Math.log2(WINDOW_SECONDS * sampleRate));
}

/** Calls `change` for the spectra of all channels of each window, and adds up the windows that come of it. */
export class SpectralStage implements SoundStage {
  readonly #change: (spectra: readonly Spectrum[]) => void;
  readonly #size: number;
  readonly #hop: number;
  readonly #fourier: RealFourier;
  readonly #window: Float64Array;
  readonly #inputs: readonly Float64Array[];
  readonly #sums: readonly Float64Array[];
  readonly #spectra: readonly Spectrum[];
  readonly #signal: Float64Array;
  readonly #waiting: FrameQueue;
  readonly #ready: FrameQueue;
  readonly #made: readonly Float32Array[];
  /** Frames of the result that lie before the first one. */
  #early: number;
  #owed = 0;

  constructor(
    { sampleRate, channels }: SoundShape,
    change: (spectra: readonly Spectrum[]) => void,
  ) {
    this.#change = change;
    this.#size = windowFrames(sampleRate);
    this.#hop = this.#size / OVERLAP;
    this.#fourier = new RealFourier(this.#size);
    this.#window = Float64Array.from(
      { length: this.#size },
      (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * i) / this.#size),
    );
    const all = Array.from({ length: channels });
    const bins = this.#size / 2 + 1;
    this.#inputs = all.map(() => new Float64Array(this.#size));
    this.#sums = all.map(() => new Float64Array(this.#size));
    this.#spectra = all.map(() => ({ re: new Float64Array(bins), im: new Float64Array(bins) }));
    this.#signal = new Float64Array(this.#size);
    this.#waiting = new FrameQueue(channels);
    this.#ready = new FrameQueue(channels);
    this.#made = all.map(() => new Float32Array(this.#hop));
    this.#early = this.#size - this.#hop;
  }

  process(block: AudioBlock): AudioBlock {
    const frames = block[0]?.length ?? 0;
    this.#owed += frames;
    this.#waiting.push(block);
    while (this.#waiting.length >= this.#hop) {
      this.#advance();
    }
    return this.#take(frames);
  }

  end(): AudioBlock {
    while (this.#ready.length < this.#owed) {
      this.#waiting.pushSilence(this.#hop - (this.#waiting.length % this.#hop));
      this.#advance();
    }
    return this.#take(this.#owed);
  }

  #take(frames: number): AudioBlock {
    const taken = this.#ready.take(Math.min(frames, this.#owed));
    this.#owed -= taken[0]?.length ?? 0;
    return taken;
  }

  /** Takes the frames of one hop and makes as many. */
  #advance(): void {
    const frames = this.#waiting.take(this.#hop);
    for (const [channel, input] of this.#inputs.entries()) {
      input.copyWithin(0, this.#hop);
      input.set(frames[channel] ?? new Float32Array(this.#hop), this.#size - this.#hop);
      for (let i = 0; i < this.#size; i++) {
        this.#signal[i] = (input[i] as number) * (this.#window[i] as number);
      }
      const { re, im } = this.#spectra[channel] as Spectrum;
      this.#fourier.forward(this.#signal, re, im);
    }
    this.#change(this.#spectra);
    for (const [channel, sum] of this.#sums.entries()) {
      const { re, im } = this.#spectra[channel] as Spectrum;
      this.#fourier.inverse(re, im, this.#signal);
      for (let i = 0; i < this.#size; i++) {
        sum[i] =
          (sum[i] as number) +
          ((this.#signal[i] as number) * (this.#window[i] as number)) / WINDOW_SUM;
      }
      this.#made[channel]?.set(sum.subarray(0, this.#hop));
      sum.copyWithin(0, this.#hop);
      sum.fill(0, this.#size - this.#hop);
    }
    const dropped = Math.min(this.#early, this.#hop);
    this.#early -= dropped;
    this.#ready.push(this.#made.map((samples) => samples.subarray(dropped)));
  }
}

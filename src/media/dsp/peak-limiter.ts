/**
 * A look-ahead limiter of the true peak. Typed arrays are read within their bounds; `as number` removes the `undefined` that
 * the type checker adds.
 */
import { type AudioBlock, BLOCK_FRAMES_MAX, type SoundShape } from "../audio-block.ts";
import { toAmplitude } from "./decibels.ts";
import { GainEnvelope } from "./gain-envelope.ts";
import { CHUNK, SampleLine } from "./sample-line.ts";
import type { SoundStage } from "./sound-stage.ts";

const LOOK_AHEAD_SECONDS = 0.005;
const RELEASE_SECONDS = 0.05;

/** Holds one ceiling. A changing gain moves the signal between samples a little, so a second pass holds it exactly. */
class LimiterPass implements SoundStage {
  readonly #ceiling: number;
  readonly #lines: readonly SampleLine[];
  readonly #envelope: GainEnvelope;
  readonly #lookAhead: number;
  /** Frames that wait for their gain; a ring that holds more than the look-ahead and a block. */
  readonly #waiting: readonly Float32Array[];
  readonly #size: number;
  #written = 0;
  #read = 0;
  /** Gains that belong to no frame, before the first. */
  #early: number;
  /** The greatest interpolated magnitude between the last frame and the next. */
  #between = 0;
  #leastGain = 1;
  readonly #output: Float32Array[];
  /** Of a chunk: the gain of each frame, and the greatest magnitude at and beside each frame, also before the next chunk. */
  readonly #gains = new Float64Array(CHUNK);
  readonly #peaks = new Float64Array(CHUNK + 1);

  constructor({ sampleRate, channels }: SoundShape, ceiling: number) {
    this.#ceiling = ceiling;
    this.#lines = Array.from({ length: channels }, () => new SampleLine(sampleRate));
    this.#lookAhead = Math.max(2, Math.round(LOOK_AHEAD_SECONDS * sampleRate));
    this.#envelope = new GainEnvelope(this.#lookAhead, RELEASE_SECONDS * sampleRate);
    // The frames of the look-ahead, of two chunks that are not analyzed yet, and of a block.
    this.#size = this.#lookAhead + 4 * CHUNK + BLOCK_FRAMES_MAX;
    this.#waiting = this.#lines.map(() => new Float32Array(this.#size));
    this.#output = this.#lines.map(() => new Float32Array(BLOCK_FRAMES_MAX));
    // The chunk of zeros before the first frame is analyzed too: a peak may lie before it.
    this.#early = this.#lookAhead + CHUNK;
  }

  /** The least gain so far, 1 if none was needed. */
  get leastGain(): number {
    return this.#leastGain;
  }

  process(block: AudioBlock): AudioBlock {
    const frames = block[0]?.length ?? 0;
    this.#store(block, frames);
    return this.#advance(block);
  }

  #store(block: AudioBlock, frames: number): void {
    const at = this.#written % this.#size;
    const first = Math.min(frames, this.#size - at);
    for (const [channel, ring] of this.#waiting.entries()) {
      const samples = block[channel] ?? new Float32Array(frames);
      ring.set(samples.subarray(0, first), at);
      ring.set(samples.subarray(first), 0);
    }
    this.#written += frames;
  }

  /** Analyzes the frames and returns those whose gain is known. */
  #advance(block: AudioBlock): AudioBlock {
    let first = 0;
    let complete = 0;
    for (const [channel, line] of this.#lines.entries()) {
      first = line.firstNew;
      complete = line.append(block[channel] ?? new Float32Array(), 0, block[0]?.length ?? 0);
    }
    let frames = 0;
    for (let chunk = first - 1; chunk < complete - 1; chunk++) {
      frames = this.#limitChunk(chunk, frames);
    }
    for (const line of this.#lines) {
      line.shift();
    }
    return this.#output.map((samples) => samples.subarray(0, frames));
  }

  #limitChunk(chunk: number, from: number): number {
    const gains = this.#gains;
    const isCalm = this.#between <= this.#ceiling && !this.#isLoud(chunk);
    if (isCalm) {
      this.#between = 0;
      if (this.#canCopy) {
        this.#copyChunk(from);
        return from + CHUNK;
      }
      gains.fill(1);
    } else {
      this.#allow(chunk);
    }
    this.#envelope.apply(gains);
    return from + this.#write(from);
  }

  /** Whether all gains of the next chunk are 1, and its frames lie together. */
  get #canCopy(): boolean {
    return (
      this.#envelope.isIdle &&
      this.#early === 0 &&
      this.#read + CHUNK <= this.#written &&
      (this.#read % this.#size) + CHUNK <= this.#size
    );
  }

  #copyChunk(frame: number): void {
    const at = this.#read % this.#size;
    for (let channel = 0; channel < this.#waiting.length; channel++) {
      const ring = this.#waiting[channel] as Float32Array;
      (this.#output[channel] as Float32Array).set(ring.subarray(at, at + CHUNK), frame);
    }
    this.#read += CHUNK;
  }

  #isLoud(chunk: number): boolean {
    for (const line of this.#lines) {
      if (line.isAbove(chunk, this.#ceiling)) {
        return true;
      }
    }
    return false;
  }

  /** Sets the gains with which neither a frame nor the signal before and after it exceeds the ceiling. */
  #allow(chunk: number): void {
    const peaks = this.#peaks.fill(0);
    peaks[0] = this.#between;
    for (const line of this.#lines) {
      if (line.isAbove(chunk, this.#ceiling)) {
        line.raisePeaks(chunk, this.#ceiling, peaks);
      }
    }
    this.#between = peaks[CHUNK] as number;
    for (let i = 0; i < CHUNK; i++) {
      const peak = peaks[i] as number;
      this.#gains[i] = peak > this.#ceiling ? this.#ceiling / peak : 1;
    }
  }

  /** Writes the frames to which the gains of a chunk belong, and returns how many they are. */
  #write(frame: number): number {
    const gains = this.#gains;
    const first = Math.min(this.#early, CHUNK);
    this.#early -= first;
    const frames = Math.min(CHUNK - first, this.#written - this.#read);
    const start = this.#read % this.#size;
    for (let channel = 0; channel < this.#waiting.length; channel++) {
      const ring = this.#waiting[channel] as Float32Array;
      const output = this.#output[channel] as Float32Array;
      for (let i = 0, at = start; i < frames; i++, at++) {
        at = at === ring.length ? 0 : at;
        output[frame + i] = (gains[first + i] as number) * (ring[at] as number);
      }
    }
    for (let i = first; i < first + frames; i++) {
      if ((gains[i] as number) < this.#leastGain) {
        this.#leastGain = gains[i] as number;
      }
    }
    this.#read += frames;
    return frames;
  }

  end(): AudioBlock {
    const left = this.#written - this.#read;
    const frames = left + this.#early + 3 * CHUNK;
    const zeros = new Float32Array(Math.min(frames, BLOCK_FRAMES_MAX));
    return this.#advance(this.#lines.map(() => zeros));
  }
}

/**
 * Keeps the true peak at or below a level: 5 ms of look-ahead, 50 ms of release, all channels turned down alike, by the
 * oversampled signal of the meter. Frames without need keep their bits.
 */
export class PeakLimiter implements SoundStage {
  readonly #first: LimiterPass;
  readonly #second: LimiterPass;

  /** @param ceilingDb true peak that the output must not exceed, in dBTP. */
  constructor(shape: SoundShape, ceilingDb: number) {
    const ceiling = toAmplitude(ceilingDb);
    this.#first = new LimiterPass(shape, ceiling);
    this.#second = new LimiterPass(shape, ceiling);
  }

  /** By how much peaks were turned down at most, in dB; 0 if no frame was. */
  get maxReductionDb(): number {
    return -20 * Math.log10(this.#first.leastGain * this.#second.leastGain) + 0;
  }

  process(block: AudioBlock): AudioBlock {
    return this.#second.process(this.#first.process(block));
  }

  end(): AudioBlock {
    const rest = this.#first.end();
    const before = this.#second.process(rest).map((samples) => samples.slice());
    const after = this.#second.end();
    return before.map((samples, channel) => {
      const whole = new Float32Array(samples.length + (after[channel]?.length ?? 0));
      whole.set(samples);
      whole.set(after[channel] ?? new Float32Array(), samples.length);
      return whole;
    });
  }
}

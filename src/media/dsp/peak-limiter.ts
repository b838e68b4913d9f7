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
    let frames = from;
    const isCalm =
      this.#between <= this.#ceiling && !this.#lines.some((line) => this.#isLoud(line, chunk));
    if (isCalm && this.#canCopy) {
      this.#copyChunk(frames);
      this.#between = 0;
      return frames + CHUNK;
    }
    for (let at = chunk * CHUNK; at < (chunk + 1) * CHUNK; at++) {
      const gain = this.#envelope.next(isCalm ? 1 : this.#allowedAt(at));
      if (this.#early > 0) {
        this.#early -= 1;
      } else if (this.#read < this.#written) {
        this.#write(frames, gain);
        frames += 1;
      }
    }
    if (isCalm) {
      this.#between = 0;
    }
    return frames;
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
    for (const [channel, ring] of this.#waiting.entries()) {
      this.#output[channel]?.set(ring.subarray(at, at + CHUNK), frame);
    }
    this.#read += CHUNK;
  }

  #isLoud(line: SampleLine, chunk: number): boolean {
    return (line.magnitudes[chunk] ?? 0) > this.#ceiling || line.mayExceed(chunk, this.#ceiling);
  }

  /** The gain with which neither the frame nor the signal before and after it exceeds the ceiling. */
  #allowedAt(at: number): number {
    let peak = this.#between;
    let after = 0;
    for (const line of this.#lines) {
      peak = Math.max(peak, Math.abs(line.samples[at] as number));
      after = Math.max(after, line.peakAfter(at, this.#ceiling));
    }
    this.#between = after;
    peak = Math.max(peak, after);
    return peak > this.#ceiling ? this.#ceiling / peak : 1;
  }

  #write(frame: number, gain: number): void {
    const at = this.#read % this.#size;
    for (const [channel, ring] of this.#waiting.entries()) {
      const output = this.#output[channel] as Float32Array;
      output[frame] = gain * (ring[at] as number);
    }
    this.#read += 1;
    if (gain < this.#leastGain) {
      this.#leastGain = gain;
    }
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

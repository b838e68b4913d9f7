import type { AudioBlock, SoundShape } from "../audio-block.ts";

/** Levels in dB; digital silence counts as -120. */
export interface SpeechLevels {
  /** 10th percentile of the RMS of frames of 50 ms: what pauses have. */
  readonly noiseFloorDb: number;
  /** 90th percentile: what speech has. */
  readonly speechLevelDb: number;
}

const FRAME_SECONDS = 0.05;
const LEAST_DB = -120;

/** Measures the RMS of successive frames of 50 ms over all channels; 4 bytes each. A last frame that is not whole counts if there is no other. */
export class SpeechLevelMeter {
  readonly #frame: number;
  #levels = new Float32Array(1024);
  #count = 0;
  #sum = 0;
  #samples = 0;
  #at = 0;

  constructor({ sampleRate }: SoundShape) {
    this.#frame = Math.round(FRAME_SECONDS * sampleRate);
  }

  add(block: AudioBlock): void {
    const frames = block[0]?.length ?? 0;
    for (let from = 0; from < frames;) {
      const to = Math.min(frames, from + this.#frame - this.#at);
      for (const samples of block) {
        for (let i = from; i < to; i++) {
          const sample = samples[i] ?? 0;
          this.#sum += sample * sample;
        }
      }
      this.#samples += (to - from) * block.length;
      this.#at += to - from;
      from = to;
      if (this.#at === this.#frame) {
        this.#close();
      }
    }
  }

  #close(): void {
    if (this.#count === this.#levels.length) {
      const larger = new Float32Array(2 * this.#count);
      larger.set(this.#levels);
      this.#levels = larger;
    }
    const power = this.#samples === 0 ? 0 : this.#sum / this.#samples;
    this.#levels[this.#count] = power === 0 ? LEAST_DB : Math.max(LEAST_DB, 10 * Math.log10(power));
    this.#count += 1;
    this.#sum = 0;
    this.#samples = 0;
    this.#at = 0;
  }

  /** Ends the measurement. */
  result(): SpeechLevels {
    if (this.#count === 0) {
      this.#close();
    }
    const sorted = this.#levels.subarray(0, this.#count).toSorted();
    const percentile = (share: number) =>
      sorted[Math.round((sorted.length - 1) * share)] ?? LEAST_DB;
    return { noiseFloorDb: percentile(0.1), speechLevelDb: percentile(0.9) };
  }
}

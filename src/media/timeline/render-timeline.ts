/**
 * The sum of the clips of a timeline. Typed arrays are read within their bounds; `as number` removes the `undefined` that the
 * type checker adds.
 */
import { type AudioBlock, BLOCK_FRAMES_MAX } from "../audio-block.ts";
import { fadeGain, type PlacedCue, type PlacedTimeline } from "./place-cues.ts";

/** Decodes an element's clip in the timeline's rate and channels. */
export type OpenClip = (index: number) => AsyncIterable<AudioBlock>;

/** A clip that plays. */
class PlayingClip {
  readonly placed: PlacedCue;
  readonly #blocks: AsyncIterator<AudioBlock>;
  #block: AudioBlock = [];
  #at = 0;
  /** Frames of the clip that were played. */
  #played = 0;

  constructor(placed: PlacedCue, clip: AsyncIterable<AudioBlock>) {
    this.placed = placed;
    this.#blocks = clip[Symbol.asyncIterator]();
  }

  get isOver(): boolean {
    return this.#played >= this.placed.frames;
  }

  /** Adds the frames up to `to`, both counted from the start of `sums`. A clip that ends before its length is silent. */
  async addTo(sums: readonly Float64Array[], from: number, to: number): Promise<void> {
    for (let at = from; at < to && !this.isOver;) {
      const left = (this.#block[0]?.length ?? 0) - this.#at;
      if (left <= 0) {
        const next = await this.#blocks.next();
        if (next.done === true) {
          this.#played = this.placed.frames;
          return;
        }
        this.#block = next.value;
        this.#at = 0;
        continue;
      }
      const count = Math.min(left, to - at, this.placed.frames - this.#played);
      this.#add(sums, at, count);
      at += count;
    }
  }

  #add(sums: readonly Float64Array[], at: number, count: number): void {
    const fadeFrom = this.placed.frames - this.placed.fadeFrames;
    for (const [channel, sum] of sums.entries()) {
      const samples = this.#block[channel] ?? new Float32Array(this.#at + count);
      for (let i = 0; i < count; i++) {
        const frame = this.#played + i;
        const gain = frame < fadeFrom ? 1 : fadeGain(this.placed, frame);
        sum[at + i] = (sum[at + i] as number) + gain * (samples[this.#at + i] as number);
      }
    }
    this.#at += count;
    this.#played += count;
  }

  async close(): Promise<void> {
    await this.#blocks.return?.();
  }
}

/**
 * Yields the timeline in blocks that are valid until the next one. A clip is opened when its first frame is due and closed
 * after its last one; only the clips that play at one time are open.
 */
export async function* renderTimeline(
  { frames, cues }: PlacedTimeline,
  channels: number,
  openClip: OpenClip,
): AsyncGenerator<AudioBlock> {
  const due = cues.filter((placed) => placed.frames > 0);
  const sums = Array.from({ length: channels }, () => new Float64Array(BLOCK_FRAMES_MAX));
  const output = sums.map(() => new Float32Array(BLOCK_FRAMES_MAX));
  let playing: PlayingClip[] = [];
  let next = 0;
  try {
    for (let at = 0; at < frames; at += BLOCK_FRAMES_MAX) {
      const count = Math.min(BLOCK_FRAMES_MAX, frames - at);
      for (const sum of sums) {
        sum.fill(0);
      }
      for (const clip of playing) {
        await clip.addTo(sums, 0, count);
      }
      // One after another, so that clips that begin and end within the block are not open together.
      for (let placed = due[next]; placed !== undefined; placed = due[next]) {
        if (placed.startFrame >= at + count) {
          break;
        }
        next += 1;
        const clip = new PlayingClip(placed, openClip(placed.cue.index));
        playing.push(clip);
        await clip.addTo(sums, placed.startFrame - at, count);
        if (clip.isOver) {
          playing.pop();
          await clip.close();
        }
      }
      const ended = playing.filter(({ isOver }) => isOver);
      playing = playing.filter(({ isOver }) => !isOver);
      for (const clip of ended) {
        await clip.close();
      }
      for (const [channel, samples] of output.entries()) {
        samples.set(sums[channel] ?? []);
      }
      yield output.map((samples) => samples.subarray(0, count));
    }
  } finally {
    for (const clip of playing) {
      await clip.close();
    }
  }
}

import type { AudioBlock } from "../audio-block.ts";

/** Frames that wait, first in, first out. It grows to the most that waits at once. */
export class FrameQueue {
  readonly #channels: Float32Array[];
  readonly #taken: Float32Array[];
  #from = 0;
  #to = 0;

  constructor(channels: number) {
    this.#channels = Array.from({ length: channels }, () => new Float32Array(0));
    this.#taken = Array.from({ length: channels }, () => new Float32Array(0));
  }

  /** Frames that wait. */
  get length(): number {
    return this.#to - this.#from;
  }

  push(block: AudioBlock): void {
    const frames = block[0]?.length ?? 0;
    this.#reserve(frames);
    for (const [channel, queue] of this.#channels.entries()) {
      queue.set(block[channel] ?? new Float32Array(frames), this.#to);
    }
    this.#to += frames;
  }

  pushSilence(frames: number): void {
    this.#reserve(frames);
    for (const queue of this.#channels) {
      queue.fill(0, this.#to, this.#to + frames);
    }
    this.#to += frames;
  }

  #reserve(frames: number): void {
    if (this.#to + frames <= (this.#channels[0]?.length ?? 0)) {
      return;
    }
    const size = this.length + frames;
    for (const [channel, queue] of this.#channels.entries()) {
      const room = size > queue.length / 2 ? new Float32Array(2 * size) : queue;
      room.set(queue.subarray(this.#from, this.#to));
      this.#channels[channel] = room;
    }
    this.#to -= this.#from;
    this.#from = 0;
  }

  /** Removes the first frames, at most those that wait. Valid until the next call of `take`. */
  take(frames: number): Float32Array[] {
    const count = Math.min(frames, this.length);
    const taken = this.#channels.map((queue, channel) => {
      let room = this.#taken[channel] ?? new Float32Array(0);
      if (room.length < count) {
        room = new Float32Array(count);
        this.#taken[channel] = room;
      }
      room.set(queue.subarray(this.#from, this.#from + count));
      return room.subarray(0, count);
    });
    this.#from += count;
    return taken;
  }
}

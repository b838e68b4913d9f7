import { type AudioBlock, BLOCK_FRAMES_MAX } from "../audio-block.ts";
import { silentBlocks } from "../silent-blocks.ts";

/** A sound with its place in a sum. All frames are those of the sum's sample rate. */
export interface PlacedSound {
  /** Position of its first frame in the sum. */
  readonly start: number;
  /** Frames of it that are used; what follows is left out. Null: all. */
  readonly frames: number | null;
  /** Factor of each of its samples. */
  readonly gain: number;
  /** Frames over which it fades in and out, linearly. A fade-out needs `frames`. */
  readonly fadeIn: number;
  readonly fadeOut: number;
  /** Begins to read it, in the channels of the sum. May be called again, with the same result. */
  open(): AsyncGenerator<AudioBlock>;
}

/** Frames that are summed before they are passed on: 5.5 s at 48 kHz, 2 MiB for each channel. */
const WINDOW_FRAMES = 262_144;

/**
 * Most sounds that stay open between two windows, because each may hold a decoder of up to 8 MB. Further ones are read
 * again from their beginning, which gives the same samples.
 */
const OPEN_MAX = 3;

/** A sound that is being read: what has been read of it, and the part of a block that belongs to the next window. */
interface Reading {
  readonly placed: PlacedSound;
  readonly blocks: AsyncGenerator<AudioBlock>;
  /** Frames that were summed or passed over. */
  read: number;
  rest: AudioBlock | undefined;
}

/** What is left of a sound after a window; `done` if nothing is. */
type Progress = Reading | { readonly placed: PlacedSound; readonly read: number } | "done";

export interface AssemblyOptions {
  readonly channels: number;
  /** Length of the sum; null: up to the end of the last sound. What lies beyond it is left out. */
  readonly frames: number | null;
  /** Replaces WINDOW_FRAMES and OPEN_MAX in tests. */
  readonly windowFrames?: number;
  readonly openMax?: number;
}

/**
 * The sum of placed sounds, added in the order of `placed` with double precision. Digital silence stands where there is
 * none, and where a single sound plays as it is, its blocks are passed on without being summed. Memory: one window, and at
 * most OPEN_MAX sounds that are open. Rethrows errors of the sounds, after all are closed.
 */
export async function* assembleSound(
  placed: readonly PlacedSound[],
  { channels, frames, windowFrames = WINDOW_FRAMES, openMax = OPEN_MAX }: AssemblyOptions,
): AsyncGenerator<AudioBlock> {
  const assembly = new Assembly(placed, channels, windowFrames, openMax);
  const end = frames ?? Number.POSITIVE_INFINITY;
  try {
    while (assembly.at < end && assembly.hasMore) {
      yield* assembly.advance(end);
    }
    if (frames !== null) {
      yield* silentBlocks(channels, frames - assembly.at);
    }
  } finally {
    await assembly.close();
  }
}

/** A sum up to a position, and the sounds of which something is left. */
class Assembly {
  readonly #channels: number;
  readonly #windowFrames: number;
  readonly #openMax: number;
  /** By start, and by place where starts are equal, so that sums have the same order in each window. */
  #left: Exclude<Progress, "done">[];
  /** Made when the first sounds overlap or fade. */
  #window: SumWindow | undefined;
  #at = 0;

  constructor(
    placed: readonly PlacedSound[],
    channels: number,
    windowFrames: number,
    openMax: number,
  ) {
    this.#left = placed
      .toSorted((a, b) => a.start - b.start)
      .map((one) => ({ placed: one, read: 0 }));
    this.#channels = channels;
    this.#windowFrames = windowFrames;
    this.#openMax = openMax;
  }

  /** Frames that were passed on. */
  get at(): number {
    return this.#at;
  }

  get hasMore(): boolean {
    return this.#left.length > 0;
  }

  /** Passes on what follows: the silence before a sound, a sound that plays alone, or a window of a sum. */
  async *advance(end: number): AsyncGenerator<AudioBlock> {
    const [first, second] = this.#left;
    if (first === undefined) {
      return;
    }
    if (first.placed.start > this.#at) {
      const until = Math.min(end, first.placed.start);
      yield* silentBlocks(this.#channels, until - this.#at);
      this.#at = until;
      return;
    }
    const aloneTo = Math.min(end, plainEnd(first.placed, this.#at), second?.placed.start ?? end);
    if (aloneTo > this.#at) {
      yield* this.#passOn(first, aloneTo);
    } else {
      yield* this.#sum(
        Math.min(end, this.#at + this.#windowFrames, calmFrom(this.#left, this.#at)),
      );
    }
  }

  /** Passes on the blocks of the only sound up to a position or its end. */
  async *#passOn(one: Exclude<Progress, "done">, to: number): AsyncGenerator<AudioBlock> {
    const reading = await this.#begin(one);
    this.#left[0] = reading;
    while (this.#at < to) {
      const block = await nextOf(reading);
      if (block === undefined) {
        break;
      }
      const count = Math.min(framesOf(block), to - this.#at);
      reading.read += count;
      this.#at += count;
      keepRest(reading, block, count);
      yield count < framesOf(block) ? block.map((samples) => samples.subarray(0, count)) : block;
    }
    const { start, frames } = reading.placed;
    if (this.#at < to || (frames !== null && this.#at >= start + frames)) {
      this.#left.shift();
      await reading.blocks.return(undefined);
    }
  }

  /** Passes on the sum of all sounds up to a position. Without further sounds it ends where the last one does. */
  async *#sum(to: number): AsyncGenerator<AudioBlock> {
    const from = this.#at;
    this.#window ??= new SumWindow(this.#channels, this.#windowFrames);
    const { sums } = this.#window;
    this.#window.clear(to - from);
    const next: Exclude<Progress, "done">[] = [];
    let heard = from;
    let open = this.#left.filter((one) => "blocks" in one).length;
    for (const [index, one] of this.#left.entries()) {
      if (one.placed.start >= to) {
        // Those that follow start later, too.
        next.push(...this.#left.slice(index));
        break;
      }
      const isOpen = "blocks" in one;
      const reading = await this.#begin(one);
      this.#left[index] = reading;
      open += isOpen ? 0 : 1;
      const summed = await addTo(sums, reading, from, to);
      heard = Math.max(heard, summed.until);
      if (summed.isDone) {
        await reading.blocks.return(undefined);
        open--;
      } else if (open > this.#openMax) {
        await reading.blocks.return(undefined);
        open--;
        next.push({ placed: one.placed, read: reading.read });
      } else {
        next.push(reading);
      }
    }
    this.#left = next;
    const until = next.length === 0 ? Math.min(to, heard) : to;
    this.#at = until;
    yield* this.#window.blocks(until - from);
  }

  async #begin(one: Exclude<Progress, "done">): Promise<Reading> {
    return "blocks" in one ? one : await reopened(one);
  }

  async close(): Promise<void> {
    for (const one of this.#left) {
      if ("blocks" in one) {
        await one.blocks.return(undefined);
      }
    }
  }
}

/** Position up to which a sound needs no factor, from a position on; before that position if it needs one there. */
function plainEnd({ start, frames, gain, fadeIn, fadeOut }: PlacedSound, at: number): number {
  if (gain !== 1 || at < start + fadeIn) {
    return Number.NEGATIVE_INFINITY;
  }
  return frames === null ? Number.POSITIVE_INFINITY : start + frames - fadeOut;
}

/**
 * The first position behind `at` from which the sounds that began do not play together: a window that ends there leaves
 * the next sound to be passed on as it is. Infinity if there is none before the last of them.
 */
function calmFrom(left: readonly Exclude<Progress, "done">[], at: number): number {
  // Where all sounds so far have ended.
  let ended = at;
  for (const [index, { placed }] of left.entries()) {
    if (index > 0 && placed.start >= ended && placed.start > at) {
      return placed.start;
    }
    // The last one of several may go on alone.
    const next = left[index + 1]?.placed.start ?? Number.POSITIVE_INFINITY;
    const alone = Math.max(ended, placed.start + placed.fadeIn);
    if (alone > at && alone < Math.min(next, plainEnd(placed, alone))) {
      return alone;
    }
    ended = Math.max(ended, placed.start + (placed.frames ?? Number.POSITIVE_INFINITY));
  }
  return ended > at ? ended : Number.POSITIVE_INFINITY;
}

/** The samples of a stretch of a sum, in double precision. */
class SumWindow {
  readonly sums: readonly Float64Array[];
  readonly #out: readonly Float32Array[];

  constructor(channels: number, frames: number) {
    this.sums = Array.from({ length: channels }, () => new Float64Array(frames));
    this.#out = Array.from({ length: channels }, () => new Float32Array(BLOCK_FRAMES_MAX));
  }

  /** Empties the first frames. */
  clear(frames: number): void {
    for (const sum of this.sums) {
      sum.fill(0, 0, frames);
    }
  }

  *blocks(frames: number): Generator<AudioBlock> {
    for (let from = 0; from < frames; from += BLOCK_FRAMES_MAX) {
      const count = Math.min(BLOCK_FRAMES_MAX, frames - from);
      for (const [channel, samples] of this.#out.entries()) {
        samples.set((this.sums[channel] as Float64Array).subarray(from, from + count));
      }
      yield this.#out.map((samples) => samples.subarray(0, count));
    }
  }
}

/** Opens a sound, and passes over what earlier windows have summed. */
async function reopened({
  placed,
  read,
}: {
  readonly placed: PlacedSound;
  readonly read: number;
}): Promise<Reading> {
  const reading: Reading = { placed, blocks: placed.open(), read: 0, rest: undefined };
  while (reading.read < read) {
    const block = await nextOf(reading);
    if (block === undefined) {
      break;
    }
    const count = Math.min(framesOf(block), read - reading.read);
    reading.read += count;
    keepRest(reading, block, count);
  }
  return reading;
}

/** Adds what a sound has between two positions of the sum. `until`: where its sound in this window ends. */
async function addTo(
  sums: readonly Float64Array[],
  reading: Reading,
  from: number,
  to: number,
): Promise<{ readonly isDone: boolean; readonly until: number }> {
  const { start, frames } = reading.placed;
  const last = start + (frames ?? Number.POSITIVE_INFINITY);
  for (;;) {
    const at = start + reading.read;
    if (at >= last) {
      return { isDone: true, until: Math.min(at, to) };
    }
    // At the end of the window too: a sound that has nothing more must not be opened again to find that out.
    const block = await nextOf(reading);
    if (block === undefined) {
      return { isDone: true, until: Math.min(at, to) };
    }
    if (at >= to) {
      reading.rest = block;
      return { isDone: false, until: to };
    }
    const count = Math.min(framesOf(block), Math.min(to, last) - at);
    add(sums, block, reading, count, at - from);
    reading.read += count;
    keepRest(reading, block, count);
  }
}

function add(
  sums: readonly Float64Array[],
  block: AudioBlock,
  { placed, read }: Reading,
  count: number,
  offset: number,
): void {
  const { gain, fadeIn, fadeOut, frames } = placed;
  const fadesAt = fadeOut === 0 ? Number.POSITIVE_INFINITY : (frames ?? 0) - fadeOut;
  const isPlain = read >= fadeIn && read + count <= fadesAt;
  for (const [channel, sum] of sums.entries()) {
    const samples = block[channel] as Float32Array;
    if (isPlain) {
      for (let i = 0; i < count; i++) {
        sum[offset + i] = (sum[offset + i] as number) + (samples[i] as number) * gain;
      }
      continue;
    }
    for (let i = 0; i < count; i++) {
      const at = read + i;
      const level =
        gain *
        (at < fadeIn ? at / fadeIn : 1) *
        (at >= fadesAt ? ((frames ?? 0) - at) / fadeOut : 1);
      sum[offset + i] = (sum[offset + i] as number) + (samples[i] as number) * level;
    }
  }
}

async function nextOf(reading: Reading): Promise<AudioBlock | undefined> {
  const { rest } = reading;
  if (rest !== undefined) {
    reading.rest = undefined;
    return rest;
  }
  for (;;) {
    const { done, value } = await reading.blocks.next();
    if (done === true) {
      return undefined;
    }
    if (framesOf(value) > 0) {
      return value;
    }
  }
}

/** Keeps the part of a block that was not used. It is valid until the next one is requested, which comes after it. */
function keepRest(reading: Reading, block: AudioBlock, used: number): void {
  reading.rest =
    used < framesOf(block) ? block.map((samples) => samples.subarray(used)) : undefined;
}

function framesOf(block: AudioBlock): number {
  return block[0]?.length ?? 0;
}

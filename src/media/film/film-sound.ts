import type { AudioBlock } from "../audio-block.ts";
import type { PlacedSound } from "../assembly/assemble-sound.ts";
import { GainStage, OverloadMeter } from "../dsp/overload.ts";
import type { JoinedFilms } from "./join-films.ts";

/** A sound in a movie, in the rate and channels of the movie's sound. */
export interface FilmSound {
  /** Frame of the movie at which it begins; below 0 if a part of it lies before the movie. */
  readonly start: number;
  /** Frames of the movie between which it is heard. */
  readonly from: number;
  readonly to: number;
  /** Factor of its samples. */
  readonly gain: number;
  readonly open: () => AsyncGenerator<AudioBlock>;
}

/** The sounds at their places in a sum; those of which nothing is heard are left out. */
export function placedSounds(sounds: readonly FilmSound[]): readonly PlacedSound[] {
  return sounds.flatMap(({ start, from, to, gain, open }) => {
    const first = Math.max(start, from);
    const placed: PlacedSound = {
      start: first,
      frames: to - first,
      gain,
      fadeIn: 0,
      fadeOut: 0,
      open: first === start ? open : () => withoutStart(open(), first - start),
    };
    return to > first ? [placed] : [];
  });
}

async function* withoutStart(
  blocks: AsyncGenerator<AudioBlock>,
  frames: number,
): AsyncGenerator<AudioBlock> {
  let left = frames;
  for await (const block of blocks) {
    const length = block[0]?.length ?? 0;
    const cut = Math.min(left, length);
    left -= cut;
    if (cut < length) {
      yield cut === 0 ? block : block.map((samples) => samples.subarray(cut));
    }
  }
}

/** The sound of a clip, in the rate and channels of the joined movie. */
export interface ClipSound {
  /** From the start of its file to the first sample. */
  readonly startSeconds: number;
  readonly open: () => AsyncGenerator<AudioBlock>;
}

/**
 * The sounds of clips at their places in a joined movie, and the frames of that: a longer one is cut at the end of its clip, and
 * silence follows a shorter one. `clips`: undefined for a clip without sound.
 */
export function joinedSounds(
  joined: Pick<JoinedFilms, "clips" | "timeScale">,
  clips: readonly (ClipSound | undefined)[],
  sampleRate: number,
): { readonly sounds: readonly FilmSound[]; readonly frames: number } {
  const frameAt = (ticks: number) => Math.round((ticks / joined.timeScale) * sampleRate);
  const sounds = joined.clips.flatMap(({ from, to, cutSeconds }, index): FilmSound[] => {
    const clip = clips[index];
    if (clip === undefined) {
      return [];
    }
    const shift = Math.round((clip.startSeconds - cutSeconds) * sampleRate);
    const [first, end] = [frameAt(from), frameAt(to)];
    return [{ start: first + shift, from: first, to: end, gain: 1, open: clip.open }];
  });
  return { sounds, frames: frameAt(joined.clips.at(-1)?.to ?? 0) };
}

/** A sum exceeds full scale; `gain` is the factor that makes its peak full scale. */
class OverloadError extends Error {
  override readonly name = "OverloadError";
  readonly gain: number;

  constructor(gain: number) {
    super("The sum exceeds full scale.");
    this.gain = gain;
  }
}

/**
 * Writes a movie whose sound does not exceed full scale. `write` gets the sound as it is; if its peak turns out to be above full
 * scale, that writing fails, and `write` is called again with the sound turned down by one constant. `sum` must give the same
 * samples each time. `kernel` is samples.wasm.
 */
export async function writeInScale<T>(
  kernel: WebAssembly.Module,
  sum: () => AsyncIterable<AudioBlock>,
  write: (sound: () => AsyncIterable<AudioBlock>) => Promise<T>,
): Promise<T> {
  try {
    return await write(() => metered(kernel, sum()));
  } catch (error) {
    if (!(error instanceof OverloadError)) {
      throw error;
    }
    const stage = new GainStage(error.gain);
    return await write(() => scaled(sum(), stage));
  }
}

/** The blocks up to the first peak above full scale; the rest is read for its peak only. */
async function* metered(
  kernel: WebAssembly.Module,
  blocks: AsyncIterable<AudioBlock>,
): AsyncGenerator<AudioBlock> {
  const meter = new OverloadMeter(kernel);
  for await (const block of blocks) {
    meter.add(block);
    if (meter.peak <= 1) {
      yield block;
    }
  }
  if (meter.peak > 1) {
    throw new OverloadError(meter.gain);
  }
}

async function* scaled(
  blocks: AsyncIterable<AudioBlock>,
  stage: GainStage,
): AsyncGenerator<AudioBlock> {
  for await (const block of blocks) {
    yield stage.process(block);
  }
}

import type { SoundMetadata } from "../../contracts/models/model-calls.ts";

/** What one format's reader finds. */
export type ReadMetadata = Pick<SoundMetadata, "seconds" | "sampleRate" | "channels">;

/** A file whose duration cannot be read; the message continues "The sound …". */
export class UnreadableSoundFile extends Error {
  override readonly name = "UnreadableSoundFile";
}

const RATE_MAX = 768_000;
const CHANNELS_MAX = 64;

/** Throws UnreadableSoundFile for values that no sound has. */
export function checkedMetadata(
  samples: number,
  sampleRate: number,
  channels: number,
): ReadMetadata {
  const isPlausible =
    Number.isFinite(samples) &&
    samples >= 0 &&
    sampleRate >= 1_000 &&
    sampleRate <= RATE_MAX &&
    channels >= 1 &&
    channels <= CHANNELS_MAX;
  if (!isPlausible) {
    throw new UnreadableSoundFile("has a header with values that no sound has.");
  }
  return { seconds: samples / sampleRate, sampleRate, channels };
}

import { SOUND_COUNT } from "../../contracts/media/decoded-sound.ts";
import { NodeError } from "../../lib/errors/node-error.ts";
import type { MemoryLease } from "../../lib/memory/memory-budget.ts";
import type { SoundReader } from "../../media/container/open-sound.ts";
import { WorkTurns } from "./work-turns.ts";

/** Frames that are counted between two signs of it: less than a tenth of a second of work. */
const FRAMES_OF_SIGN = 48_000;

type Decoded = Pick<SoundReader, "blocks" | "close">;
type Held = Pick<MemoryLease, "release">;
/** The last piece is returned, so that a reader who has all frames need not ask once more. */
type Pieces = AsyncGenerator<Uint8Array, Uint8Array | undefined>;

/**
 * Interleaved samples, decoded as they are read: 32-bit float, little-endian. Ends early where the rest cannot be decoded, and
 * before the last block of a sound that turns out to be damaged at its end. The memory is released when the stream ends, fails or
 * is canceled.
 */
export function samplesOf(
  reader: Decoded,
  lease: Held,
  giveTurn?: () => Promise<void>,
): ReadableStream<Uint8Array> {
  return streamed(reader, lease, (signal) => samples(reader, signal, giveTurn));
}

/** The same behind the number of frames, for which the sound is decoded once more before (`SOUND_COUNT`). */
export function countedSamplesOf(
  reader: Decoded,
  lease: Held,
  giveTurn?: () => Promise<void>,
): ReadableStream<Uint8Array> {
  return streamed(reader, lease, async function* (signal) {
    const counting = countFrames(reader, signal, giveTurn);
    for (;;) {
      let counted: IteratorResult<undefined, number>;
      try {
        // oxlint-disable-next-line no-await-in-loop -- part after part of the sound
        counted = await counting.next();
      } catch (error) {
        if (!(error instanceof NodeError) || error.retryable) {
          throw error;
        }
        yield Uint8Array.of(SOUND_COUNT.refused);
        return new TextEncoder().encode(error.message);
      }
      if (counted.done === true) {
        yield countHead(counted.value);
        break;
      }
      yield Uint8Array.of(SOUND_COUNT.counting);
    }
    return yield* samples(reader, signal, giveTurn);
  });
}

/** Yields after each part of the sound; returns the number of its frames. */
async function* countFrames(
  reader: Decoded,
  signal: AbortSignal,
  giveTurn?: () => Promise<void>,
): AsyncGenerator<undefined, number> {
  const turns = new WorkTurns(signal, giveTurn);
  let frames = 0;
  let unsigned = 0;
  for await (const [first] of reader.blocks(signal)) {
    const length = first?.length ?? 0;
    frames += length;
    unsigned += length;
    await turns.add(length);
    if (unsigned >= FRAMES_OF_SIGN) {
      unsigned = 0;
      yield;
    }
  }
  return frames;
}

/** For callers that do not read the number from the body. */
export async function frameCountOf(reader: Decoded): Promise<number> {
  const counting = countFrames(reader, new AbortController().signal);
  for (;;) {
    // oxlint-disable-next-line no-await-in-loop -- part after part of the sound
    const { done, value } = await counting.next();
    if (done === true) {
      return value;
    }
  }
}

function countHead(frames: number): Uint8Array {
  const head = new Uint8Array(1 + Float64Array.BYTES_PER_ELEMENT);
  head[0] = SOUND_COUNT.counted;
  new DataView(head.buffer).setFloat64(1, frames, true);
  return head;
}

async function* samples(
  reader: Decoded,
  signal: AbortSignal,
  giveTurn?: () => Promise<void>,
): Pieces {
  const turns = new WorkTurns(signal, giveTurn);
  // Who has all frames of a sound takes it for whole, and how much of it did not decode is known behind the last one.
  let held: Uint8Array | undefined;
  for await (const block of reader.blocks(signal)) {
    await turns.add(block[0]?.length ?? 0);
    const before = held;
    held = interleaved(block);
    if (before !== undefined) {
      yield before;
    }
  }
  return held;
}

function streamed(
  reader: Decoded,
  lease: Held,
  piecesOf: (signal: AbortSignal) => Pieces,
): ReadableStream<Uint8Array> {
  const stop = new AbortController();
  const pieces = piecesOf(stop.signal);
  const end = () => {
    reader.close();
    lease.release();
  };
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await pieces.next();
          if (value !== undefined) {
            controller.enqueue(value);
          }
          if (done === true) {
            end();
            controller.close();
          }
        } catch (error) {
          end();
          if (error instanceof NodeError && !error.retryable) {
            controller.close();
          } else {
            controller.error(error);
          }
        }
      },
      async cancel(reason) {
        stop.abort(reason);
        await pieces.return(undefined).catch(() => undefined);
        end();
      },
    },
    { highWaterMark: 0 },
  );
}

function interleaved(planes: readonly Float32Array[]): Uint8Array {
  const channels = planes.length;
  const samples = new Float32Array((planes[0]?.length ?? 0) * channels);
  for (const [channel, plane] of planes.entries()) {
    for (let i = 0, at = channel; i < plane.length; i++, at += channels) {
      samples[at] = plane[i] as number;
    }
  }
  return new Uint8Array(samples.buffer);
}

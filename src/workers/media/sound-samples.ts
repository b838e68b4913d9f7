import { NodeError } from "../../lib/errors/node-error.ts";
import type { MemoryLease } from "../../lib/memory/memory-budget.ts";
import type { SoundReader } from "../../media/container/open-sound.ts";
import { WorkTurns } from "./work-turns.ts";

/**
 * Interleaved samples, decoded as they are read: 32-bit float, little-endian. Ends early where the rest cannot be decoded, and
 * before the last block of a sound that turns out to be damaged at its end. The memory is released when the stream ends, fails or
 * is canceled.
 */
export function samplesOf(
  reader: SoundReader,
  lease: Pick<MemoryLease, "release">,
  giveTurn?: () => Promise<void>,
): ReadableStream<Uint8Array> {
  const stop = new AbortController();
  const blocks = reader.blocks(stop.signal);
  const turns = new WorkTurns(stop.signal, giveTurn);
  // Who has all frames of a sound takes it for whole, and how much of it did not decode is known behind the last one.
  let held: Uint8Array | undefined;
  const end = () => {
    held = undefined;
    reader.close();
    lease.release();
  };
  /** The block before the one that was decoded last; undefined at the end, when none is left. */
  const next = async (): Promise<{ readonly block: Uint8Array | undefined; isLast: boolean }> => {
    for (;;) {
      // oxlint-disable-next-line no-await-in-loop -- a block follows from those before it
      const { done, value } = await blocks.next();
      const block = held;
      if (done === true) {
        return { block, isLast: true };
      }
      // oxlint-disable-next-line no-await-in-loop -- other tasks of the isolate take a turn
      await turns.add(value[0]?.length ?? 0);
      held = interleaved(value);
      if (block !== undefined) {
        return { block, isLast: false };
      }
    }
  };
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { block, isLast } = await next();
          if (block !== undefined) {
            controller.enqueue(block);
          }
          if (isLast) {
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
        await blocks.return(undefined).catch(() => undefined);
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

import { NodeError } from "../../../lib/errors/node-error.ts";
import type { ModelSound } from "../../../contracts/models/model-calls.ts";
import { openSamples, openWav, type Sound, UnreadableSound } from "./wav-reader.ts";

/**
 * The samples of a sound: of a WAV as they are, of any other file, and of a WAV of another kind, as the service decodes them. Reading
 * ends with the reason of the signal when that aborts. Throws UnreadableSound, and as `ModelSound.decode` does.
 */
export async function openSampleSound(
  { format, source, decode }: ModelSound,
  signal: AbortSignal,
): Promise<Sound> {
  if (format === "wav") {
    const pieces = untilAborted(await source.stream(), signal);
    try {
      return await openWav(pieces);
    } catch (error) {
      await pieces.return();
      if (!(error instanceof UnreadableSound)) {
        throw error;
      }
    }
  }
  const { samples, ...shape } = await decode();
  return openSamples({ ...shape, samples: untilAborted(samples, signal) });
}

/** Not a generator: one that has not begun would not pass its `return()` on to the source. */
function untilAborted(pieces: AsyncIterable<Uint8Array>, signal: AbortSignal) {
  const source = pieces[Symbol.asyncIterator]();
  const end = async () => {
    await source.return?.();
  };
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    async next(): Promise<IteratorResult<Uint8Array, undefined>> {
      const { done, value } = await source.next();
      if (done === true) {
        return { done, value: undefined };
      }
      if (signal.aborted) {
        await end();
        signal.throwIfAborted();
      }
      return { done: false, value };
    },
    async return(): Promise<IteratorResult<Uint8Array, undefined>> {
      await end();
      return { done: true, value: undefined };
    },
  };
}

/** Does what a sample model does with a sound. Throws NodeError `AUDIO_UNREADABLE` for one that cannot be read to its end. */
export async function readable<T>(use: () => Promise<T>): Promise<T> {
  try {
    return await use();
  } catch (error) {
    throw error instanceof UnreadableSound
      ? new NodeError("AUDIO_UNREADABLE", `The sound ${error.message}. Send an undamaged file.`, {
          cause: error,
        })
      : error;
  }
}

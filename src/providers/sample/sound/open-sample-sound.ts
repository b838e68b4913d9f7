import { NodeError } from "../../../lib/errors/node-error.ts";
import type { ModelSound } from "../../../contracts/models/model-calls.ts";
import { openWav, type Sound, UnreadableSound } from "./wav-reader.ts";

/** The samples of a WAV. Reading ends with the reason of the signal when that aborts. Throws UnreadableSound. */
export async function openSampleSound({ source }: ModelSound, signal: AbortSignal): Promise<Sound> {
  return await openWav(untilAborted(await source.stream(), signal));
}

async function* untilAborted(pieces: AsyncIterable<Uint8Array>, signal: AbortSignal) {
  for await (const piece of pieces) {
    signal.throwIfAborted();
    yield piece;
  }
}

/** Does what a sample model does with a sound. Throws NodeError `AUDIO_UNREADABLE` for one that is not a readable WAV. */
export async function readable<T>(use: () => Promise<T>): Promise<T> {
  try {
    return await use();
  } catch (error) {
    throw error instanceof UnreadableSound
      ? new NodeError(
          "AUDIO_UNREADABLE",
          `The sound ${error.message}. The sample models read WAV of 16, 24 or 32-bit PCM or 32-bit float.`,
          { cause: error },
        )
      : error;
  }
}

import { STEM_NAMES, type StemName } from "../../contracts/models/model-calls.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";
import { NodeError } from "../../lib/errors/node-error.ts";
import { splitInStep } from "../../lib/files/split-in-step.ts";
import type { SeparateStems } from "../provider.ts";
import { openSampleSound, readable } from "./sound/open-sample-sound.ts";
import { separateStems } from "./sound/separate-stems.ts";
import type { Sound } from "./sound/wav-reader.ts";
import { WAV_HEADER_BYTES, wavHeader } from "./sound/wav-writer.ts";

const FLOAT_BYTES = 4;
/** Blocks between two turns of the event loop: about 20 ms of computing. */
const BLOCKS_A_TURN = 8;

type Block = Readonly<Record<StemName, Uint8Array>>;

/** Four WAV files of 32-bit float, made in step while they are read. */
export const separate: SeparateStems = async (_model, { sound }, io) => {
  const opened = await readable(() => openSampleSound(sound, io.signal));
  try {
    checkSize(opened);
  } catch (error) {
    await opened.close();
    throw error;
  }
  return {
    stems: splitInStep(closing(stemFiles(opened, io.signal), opened), STEM_NAMES, io.signal),
    seconds: null,
  };
};

/** Throws NodeError `FILE_TOO_LARGE` before anything is computed. */
function checkSize({ frames, channels }: Sound): void {
  const bytes = WAV_HEADER_BYTES.float32 + frames * channels * FLOAT_BYTES;
  const max = LIMITS.model_sound.value;
  if (bytes > max) {
    throw new NodeError(
      "FILE_TOO_LARGE",
      `Each stem would have ${bytes} bytes; at most ${max} are stored. Use a shorter sound, or one of fewer channels.`,
    );
  }
}

/** Closes the sound when its files end, fail or are given up, also before their first block. */
function closing(files: AsyncGenerator<Block>, sound: Sound): AsyncIterableIterator<Block> {
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    async next() {
      try {
        const block = await files.next();
        if (block.done === true) {
          await sound.close();
        }
        return block;
      } catch (error) {
        await sound.close();
        throw error;
      }
    },
    async return() {
      await files.return(undefined);
      await sound.close();
      return { done: true, value: undefined };
    },
  };
}

async function* stemFiles(sound: Sound, signal: AbortSignal): AsyncGenerator<Block> {
  const { sampleRate, channels, frames } = sound;
  yield eachStem(() => wavHeader("float32", sampleRate, channels, frames));
  const blocks = separateStems(sound)[Symbol.asyncIterator]();
  for (let count = 1; ; count++) {
    // oxlint-disable-next-line no-await-in-loop -- a block follows from those before it
    const { done, value } = await readable(() => blocks.next());
    if (done === true) {
      return;
    }
    if (count % BLOCKS_A_TURN === 0) {
      // oxlint-disable-next-line no-await-in-loop -- other tasks of the isolate take a turn
      await new Promise((resolve) => setTimeout(resolve, 0));
      signal.throwIfAborted();
    }
    yield eachStem((name) => {
      const { buffer, byteOffset, byteLength } = value[name];
      return new Uint8Array(buffer, byteOffset, byteLength);
    });
  }
}

function eachStem(of: (name: StemName) => Uint8Array): Block {
  return {
    vocals: of("vocals"),
    drums: of("drums"),
    bass: of("bass"),
    other: of("other"),
  };
}

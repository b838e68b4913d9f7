import {
  type MadeStems,
  STEM_NAMES,
  type StemName,
  type StemRequest,
} from "../../contracts/models/model-calls.ts";
import { isJsonObject } from "../../lib/json/exact-json.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";
import { NodeError } from "../../lib/errors/node-error.ts";
import { badOutput } from "../call-failure.ts";
import { openFile } from "../fetch-file.ts";
import { InlineFile } from "../json-body.ts";
import type { JobCall, ProviderIo } from "../provider.ts";
import { readSound } from "../sound-answer.ts";

/** A larger sound is no longer one request once it is base64. */
const SOUND_BYTES_MAX = LIMITS.inline_sound.value;

/** Demucs: the four stems of a sound, each in a file of its own. */
export const stemJob: JobCall<StemRequest, MadeStems> = {
  // oxlint-disable-next-line typescript/require-await -- others upload files
  inputOf: async (_model, { sound, parameters }) => {
    const { sizeBytes } = sound.source;
    if (sizeBytes > SOUND_BYTES_MAX) {
      throw new NodeError(
        "INPUT_TOO_LONG",
        `The sound has ${sizeBytes} bytes; models of fal take at most ${SOUND_BYTES_MAX}. Shorten it, or compress it as MP3 or Ogg.`,
      );
    }
    return {
      ...parameters,
      audio_url: InlineFile.ofSound(sound),
      model: "htdemucs",
      stems: [...STEM_NAMES],
    };
  },
  // oxlint-disable-next-line typescript/require-await -- others fetch what they made first
  read: async (output, _scope, io) => {
    const stem = (name: StemName) => {
      const file = isJsonObject(output) ? output[name] : undefined;
      const address = isJsonObject(file) ? file["url"] : undefined;
      if (typeof address !== "string") {
        throw badOutput("its job named too few stems");
      }
      return stemAt(address, io);
    };
    const stems = {
      vocals: stem("vocals"),
      drums: stem("drums"),
      bass: stem("bass"),
      other: stem("other"),
    };
    return { stems, seconds: null };
  },
};

/** Requested when it is read, so that all four arrive at the same time. */
async function* stemAt(address: string, io: ProviderIo): AsyncGenerator<Uint8Array> {
  yield* await readSound(await openFile(address, io, LIMITS.provider_sound.value));
}

import type { SpeechRequest as AskedSpeech } from "../../contracts/models/model-calls.ts";
import type { Speak, Transcribe } from "../provider.ts";
import { findSounds } from "./sound/find-sounds.ts";
import { openSampleSound, readable } from "./sound/open-sample-sound.ts";
import { speak as speakText, VOICE_NAMES } from "./sound/speak.ts";

/** Speaks with the voice `mid` unless another is requested. */
export const speak: Speak = (_model, request) =>
  Promise.resolve({ bytes: spoken(request), characters: null });

// oxlint-disable-next-line typescript/require-await -- sounds of other providers arrive in pieces
async function* spoken({ text, voice, speed, pitch }: AskedSpeech): AsyncGenerator<Uint8Array> {
  yield* speakText({
    text,
    voice: VOICE_NAMES.find((known) => known === voice) ?? "mid",
    speed: speed ?? 1,
    pitch: pitch ?? 0,
  });
}

/** One passage for each stretch of sound. */
export const transcribe: Transcribe = async (_model, { sound }, io) => {
  const passages = await readable(async () => {
    const opened = await openSampleSound(sound, io.signal);
    try {
      return await findSounds(opened);
    } finally {
      await opened.close();
    }
  });
  return { text: passages.map(({ text }) => text).join(" "), passages, seconds: null };
};

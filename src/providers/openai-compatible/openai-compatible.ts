import type { Provider } from "../provider.ts";
import { generateText } from "./chat.ts";
import { makeImage } from "./images.ts";
import { speak } from "./speech.ts";
import { transcribe } from "./transcription.ts";

/** Any server with the API of OpenAI: hosted, vLLM, Ollama, LocalAI. */
export const openaiCompatible: Provider = {
  kind: "openai_compatible",
  freePath: "/models",
  authorize: (key) => ({ authorization: `Bearer ${key}` }),
  isIdempotent: true,
  calls: {
    text_to_image: makeImage,
    image_edit: makeImage,
    multi_image_edit: makeImage,
    text_generation: generateText,
    text_to_speech: speak,
    speech_to_text: transcribe,
  },
};

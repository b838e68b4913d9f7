import type { Provider } from "../provider.ts";
import { makePicture } from "./make-picture.ts";
import { speak } from "./speak.ts";
import { transcribe } from "./transcribe.ts";
import { writeText } from "./write-text.ts";

/** Models of Cloudflare, called through the binding `AI`. */
export const workersAi: Provider = {
  kind: "workers_ai",
  calls: {
    text_to_image: makePicture,
    text_generation: writeText,
    text_to_speech: speak,
    speech_to_text: transcribe,
  },
};

import type { Provider } from "../provider.ts";
import { speak } from "./speak.ts";
import { listVoices } from "./voices.ts";

export const elevenlabs: Provider = {
  kind: "elevenlabs",
  authorize: (key) => ({ "xi-api-key": key }),
  calls: { text_to_speech: speak },
  freePath: "/v1/models",
  listVoices,
};

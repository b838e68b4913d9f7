import type { Provider } from "../provider.ts";
import { generateText } from "./chat.ts";

/** Any server with the API of OpenAI: hosted, vLLM, Ollama, LocalAI. */
export const openaiCompatible: Provider = {
  kind: "openai_compatible",
  authorize: (key) => ({ authorization: `Bearer ${key}` }),
  calls: { text_generation: generateText },
};

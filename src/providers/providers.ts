/** The only list of providers that this release can call. */
import { openaiCompatible } from "./openai-compatible/openai-compatible.ts";
import { elevenlabs } from "./elevenlabs/elevenlabs.ts";
import { fal } from "./fal/fal.ts";
import type { ProviderKind } from "../contracts/models/provider.ts";
import { replicate } from "./replicate/replicate.ts";
import { sample } from "./sample/sample.ts";
import { workersAi } from "./workers-ai/workers-ai.ts";
import type { Provider } from "./provider.ts";

const PROVIDERS: readonly Provider[] = [
  openaiCompatible,
  replicate,
  fal,
  elevenlabs,
  sample,
  workersAi,
];

const byKind = new Map(PROVIDERS.map((provider) => [provider.kind, provider]));

export function findProvider(kind: ProviderKind): Provider | undefined {
  return byKind.get(kind);
}

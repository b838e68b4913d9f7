/** The models that come with the service: one file of entries for each provider, listed here. */
import type { ProviderKind } from "../contracts/models/provider.ts";
import { ELEVENLABS_MODELS } from "./elevenlabs/entries.ts";
import { FAL_MODELS } from "./fal/entries.ts";
import type { ModelEntry } from "./model-entry.ts";
import { OPENAI_MODELS } from "./openai/entries.ts";
import { REPLICATE_MODELS } from "./replicate/entries.ts";
import { SAMPLE_MODELS } from "./sample/entries.ts";
import { WORKERS_AI_MODELS } from "./workers-ai/entries.ts";

/**
 * The models of each kind, in the order in which they become defaults. A provider of the kind `openai_compatible` has
 * these only if its configuration names the catalog of OpenAI.
 */
export const BUILT_IN_MODELS: ReadonlyMap<ProviderKind, readonly ModelEntry[]> = new Map([
  ["openai_compatible", OPENAI_MODELS],
  ["replicate", REPLICATE_MODELS],
  ["fal", FAL_MODELS],
  ["elevenlabs", ELEVENLABS_MODELS],
  ["workers_ai", WORKERS_AI_MODELS],
  ["sample", SAMPLE_MODELS],
]);

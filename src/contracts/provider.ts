/** Providers of models (docs/contract/models.md#models). */

export const PROVIDER_KINDS = [
  "openai_compatible",
  "replicate",
  "fal",
  "elevenlabs",
  "workers_ai",
  "sample",
] as const;
export type ProviderKind = (typeof PROVIDER_KINDS)[number];

/** Ids of the providers that need no configuration. */
export const SAMPLE_PROVIDER_ID = "sample";
export const WORKERS_AI_PROVIDER_ID = "workers_ai";

/** The rules of a provider's settings that its schema cannot express (docs/contract/models.md#providers). */
import {
  type ProviderKind,
  type ProviderModel,
  type PutProvider,
  SAMPLE_PROVIDER_ID,
  WORKERS_AI_PROVIDER_ID,
} from "../contracts/models/provider.ts";
import type { FieldError } from "../lib/errors/errors.ts";
import { BUILT_IN_MODELS } from "../providers/entries.ts";

const DEFAULT_BASES: Readonly<Record<ProviderKind, string | null>> = {
  openai_compatible: null,
  replicate: "https://api.replicate.com/v1",
  fal: "https://queue.fal.run",
  elevenlabs: "https://api.elevenlabs.io",
  workers_ai: null,
  sample: null,
};

const BUILT_IN_SLUGS: ReadonlySet<string> = new Set(
  [...BUILT_IN_MODELS.values()].flat().map(({ model }) => model),
);

/** The address that a provider is called at; null for one that is called through a binding. */
export function baseUrlOf({ kind, base_url: given }: PutProvider): string | null {
  return given ?? DEFAULT_BASES[kind];
}

export function isBuiltInSlug(slug: string): boolean {
  return BUILT_IN_SLUGS.has(slug);
}

/** Why a provider of this id cannot have these settings: one error for each wrong member. */
export function providerProblems(
  id: string,
  { kind, prices, models, catalog }: PutProvider,
): FieldError[] {
  const errors: FieldError[] = [];
  if (id === SAMPLE_PROVIDER_ID) {
    const message = "The id sample is reserved for the built-in provider.";
    errors.push({ field: "id", message });
  }
  if ((id === WORKERS_AI_PROVIDER_ID) !== (kind === "workers_ai")) {
    const message = `The id ${WORKERS_AI_PROVIDER_ID} is that of the kind workers_ai, and this kind has no other id.`;
    errors.push({ field: "kind", message });
  }
  const builtIn = kind === "openai_compatible" && catalog === null ? [] : BUILT_IN_MODELS.get(kind);
  for (const [slug, price] of Object.entries(prices)) {
    const entry = builtIn?.find(({ model }) => model === slug);
    const field = `prices.${slug.slice(0, 80).toWellFormed()}`;
    if (entry === undefined) {
      errors.push({ field, message: "Is not a built-in model of this provider." });
    } else if (
      (entry.price.cost_unit === "per_1k_tokens") ===
      (price.credit_cost_milli_credits !== undefined)
    ) {
      const message = `Must have the prices of the model's unit, ${entry.price.cost_unit}.`;
      errors.push({ field, message });
    }
  }
  models.forEach(({ model }, index) => {
    if (models.findIndex((other) => other.model === model) !== index) {
      errors.push({ field: `models[${index}].model`, message: "Is the slug of an earlier model." });
    }
  });
  return errors;
}

/** A model with every member that the catalog shows. */
export function completeModel(model: ProviderModel): ProviderModel {
  const input = model.input_milli_credits_per_1k ?? null;
  const output = model.output_milli_credits_per_1k ?? null;
  return {
    ...model,
    remote_model: model.remote_model ?? model.model,
    display_name: model.display_name ?? model.model,
    capabilities: [...new Set(model.capabilities)],
    input_milli_credits_per_1k: input,
    output_milli_credits_per_1k: output,
    // The cost of 1,000 tokens in and 500 out, as the catalog shows it.
    ...(input !== null &&
      output !== null && { credit_cost_milli_credits: Math.ceil(input + output / 2) }),
  };
}

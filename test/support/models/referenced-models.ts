/** Models as runs refer to them, for tests. */
import type { ReferencedModel } from "../../../src/contracts/models/model-calls.ts";
import type { ResolvedReference, ResolveReferences } from "../../../src/contracts/references.ts";
import type { JsonValue } from "../../../src/lib/json/exact-json.ts";

/** A text model; 2 milli-credits for 1,000 tokens in and 6 for 1,000 out. */
export const TINY: ReferencedModel = {
  model: "tiny",
  provider: "mine",
  remote_model: "vendor/tiny-1",
  capabilities: ["text_generation"],
  supports_vision: true,
  cost_unit: "per_1k_tokens",
  credit_cost_milli_credits: 5,
  input_milli_credits_per_1k: 2,
  output_milli_credits_per_1k: 6,
  controls: [],
  voices: [],
  sizes: [],
  max_input_images: 8,
  timeout_ms: 1_000,
  hides: [],
  parameters: [],
  json_mode: "json_schema",
  max_tokens_field: "max_tokens",
};

interface Vocabulary {
  readonly prompt_fragment: string;
  readonly supports_intensity?: boolean;
}

/**
 * Resolves these models by name, the first of each capability as its default, presets by category and code, and effects
 * by code.
 */
export function modelStore(
  models: readonly ReferencedModel[],
  vocabulary: Readonly<Record<string, Vocabulary>> = {},
): ResolveReferences {
  return (references) =>
    Promise.resolve(
      references.flatMap((reference): readonly ResolvedReference[] => {
        const { kind, id } = reference;
        const found =
          kind === "model"
            ? models.find(({ model }) => model === id)
            : kind === "default_models"
              ? defaultsOf(models, id.split(","))
              : vocabulary[id];
        return found === undefined
          ? []
          : [
              {
                ...reference,
                version: JSON.stringify(found),
                content: found as unknown as JsonValue,
              },
            ];
      }),
    );
}

function defaultsOf(models: readonly ReferencedModel[], capabilities: readonly string[]) {
  const found = capabilities.flatMap((capability) => {
    const model = models.find((one) => one.capabilities.some((each) => each === capability));
    return model === undefined ? [] : [[capability, model] as const];
  });
  return found.length === 0 ? undefined : Object.fromEntries(found);
}

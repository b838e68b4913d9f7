import { hash } from "node:crypto";
import type {
  ProviderKind,
  ProviderModel,
  ProviderScope,
} from "../../contracts/models/provider.ts";
import { type ModelEntry, NO_NEGATIVE_PROMPT_NO_SEED } from "../../providers/model-entry.ts";
import type { ModelPrices, UsableProvider } from "./usable-provider.ts";

/** A provider as an operator configured it. */
export interface ConfiguredProvider {
  readonly id: string;
  readonly kind: ProviderKind;
  readonly scope: ProviderScope;
  readonly isEnabled: boolean;
  readonly hasKey: boolean;
  readonly baseUrl: string | null;
  readonly catalog: "openai" | null;
  readonly prices: ModelPrices;
  readonly models: readonly ProviderModel[];
}

/** Kinds that cannot be called without a key. */
const NEEDS_KEY: ReadonlySet<ProviderKind> = new Set(["replicate", "fal", "elevenlabs"]);

/** A provider of a later scope replaces that of an earlier one of the same id. */
const SCOPE_ORDER: Readonly<Record<ProviderScope, number>> = {
  environment: 0,
  system: 1,
  workspace: 2,
};

/**
 * The providers that a workspace can use, those of the workspace first: its entries replace the system's of the same
 * id, and the system's those of the environment; a disabled one hides it, and one without its key or binding is left
 * out (docs/contract/models.md#providers). `standing` are those that need no configuration.
 */
export function usableProviders(
  configured: readonly ConfiguredProvider[],
  standing: readonly UsableProvider[],
): readonly UsableProvider[] {
  const byId = new Map<string, ConfiguredProvider>();
  for (const each of configured.toSorted((a, b) => SCOPE_ORDER[a.scope] - SCOPE_ORDER[b.scope])) {
    byId.set(each.id, each);
  }
  const named = [...byId.values()]
    .toSorted((a, b) => SCOPE_ORDER[b.scope] - SCOPE_ORDER[a.scope])
    .filter(
      ({ id, kind, isEnabled, hasKey }) =>
        isEnabled &&
        (hasKey || !NEEDS_KEY.has(kind)) &&
        (kind !== "workers_ai" || standing.some((other) => other.id === id)),
    );
  return [
    ...named.map(({ id, kind, baseUrl, catalog, prices, models }) => ({
      id,
      kind,
      catalog,
      prices,
      models: models.map((model) => toEntry(model, baseUrl)),
    })),
    ...standing.filter(({ id }) => !byId.has(id)),
  ];
}

function toEntry(model: ProviderModel, baseUrl: string | null): ModelEntry {
  const { cost_unit: unit, voices, sizes } = model;
  const takesImages = model.capabilities.some((each) =>
    ["image_edit", "multi_image_edit", "background_removal", "image_upscale"].includes(each),
  );
  const makesImages = model.capabilities.some((each) =>
    ["text_to_image", "image_edit", "multi_image_edit"].includes(each),
  );
  return {
    model: model.model,
    remote_model: model.remote_model ?? model.model,
    // The service does not know what a change means, so each one counts.
    revision: hash("sha256", JSON.stringify([model, baseUrl])),
    display_name: model.display_name ?? model.model,
    capabilities: model.capabilities,
    price:
      unit === "per_1k_tokens"
        ? {
            cost_unit: unit,
            input_milli_credits_per_1k: model.input_milli_credits_per_1k ?? 0,
            output_milli_credits_per_1k: model.output_milli_credits_per_1k ?? 0,
          }
        : { cost_unit: unit, credit_cost_milli_credits: model.credit_cost_milli_credits ?? 0 },
    quality_tier: model.quality_tier,
    speed_tier: model.speed_tier,
    supports_vision: model.supports_vision,
    controls: model.controls,
    ...(voices.length > 0 && { voices }),
    max_input_images: takesImages || model.supports_vision ? model.max_input_images : 0,
    ...(sizes.length > 0 && { sizes }),
    timeout_ms: model.timeout_ms,
    json_mode: model.json_mode,
    max_tokens_field: model.max_tokens_field,
    // The interface for pictures has neither.
    ...(makesImages && { hides: NO_NEGATIVE_PROMPT_NO_SEED }),
  };
}

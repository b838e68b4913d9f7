import {
  type Model,
  type ModelParametersSchema,
  VOICE_CONTROLS,
} from "../../contracts/models/model.ts";
import type { ModelEntry, ModelPrice } from "../../providers/model-entry.ts";
import type { AvailableModel } from "./available-models.ts";

/** The tokens in and out of the call whose cost stands for that of a model charged by tokens. */
const ESTIMATED_TOKENS = { input: 1000, output: 500 };

/** A model as the catalog shows it. */
export function describeModel({ entry, provider }: AvailableModel, isDefault: boolean): Model {
  const milliCredits = unitCost(entry.price);
  const isByToken = entry.price.cost_unit === "per_1k_tokens";
  return {
    model: entry.model,
    display_name: entry.display_name,
    provider,
    credit_cost: milliCredits / 1000,
    credit_cost_milli_credits: milliCredits,
    cost_unit: entry.price.cost_unit,
    cost_basis: isByToken ? "per_call_estimate" : "per_unit",
    input_milli_credits_per_1k:
      entry.price.cost_unit === "per_1k_tokens" ? entry.price.input_milli_credits_per_1k : null,
    output_milli_credits_per_1k:
      entry.price.cost_unit === "per_1k_tokens" ? entry.price.output_milli_credits_per_1k : null,
    quality_tier: entry.quality_tier,
    speed_tier: entry.speed_tier,
    supports_vision: entry.supports_vision ?? false,
    is_default: isDefault,
    capabilities: [...entry.capabilities],
    controls: [...(entry.controls ?? [])],
    max_input_images: entry.max_input_images ?? 0,
    timeout_ms: entry.timeout_ms,
  };
}

/** The cost of one unit, or of the estimated call of a model that is charged by tokens. In milli-credits. */
function unitCost(price: ModelPrice): number {
  if (price.cost_unit !== "per_1k_tokens") {
    return price.credit_cost_milli_credits;
  }
  const { input, output } = ESTIMATED_TOKENS;
  return Math.ceil(
    (price.input_milli_credits_per_1k * input + price.output_milli_credits_per_1k * output) / 1000,
  );
}

/** The parameters of a model (docs/contract/models.md#parameters). */
export function describeModelParameters(entry: ModelEntry): ModelParametersSchema {
  const parameters = entry.parameters ?? [];
  const lacking = entry.capabilities.includes("text_to_speech")
    ? VOICE_CONTROLS.filter((control) => entry.controls?.includes(control) !== true)
    : [];
  return {
    model: entry.model,
    schema: [...parameters],
    defaults: Object.fromEntries(parameters.map((each) => [each.name, each.default])),
    hides_node_parameters: [...(entry.hides ?? []), ...lacking],
  };
}

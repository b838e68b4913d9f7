import type { ReferencedModel } from "../../contracts/models/model-calls.ts";
import { FIRST_REVISION } from "../../providers/model-entry.ts";
import type { AvailableModel } from "./available-models.ts";
import { describeModel, describeModelParameters } from "./describe-model.ts";

/** The parts of a model's entry that a run keeps. */
export function referencedModel(available: AvailableModel): ReferencedModel {
  const { entry, provider } = available;
  const { cost_unit, credit_cost_milli_credits, ...described } = describeModel(available, false);
  return {
    model: entry.model,
    provider,
    remote_model: entry.remote_model,
    revision: entry.revision ?? FIRST_REVISION,
    capabilities: entry.capabilities,
    supports_vision: described.supports_vision,
    cost_unit,
    credit_cost_milli_credits,
    input_milli_credits_per_1k: described.input_milli_credits_per_1k,
    output_milli_credits_per_1k: described.output_milli_credits_per_1k,
    controls: described.controls,
    ...(entry.control_ranges !== undefined && { control_ranges: entry.control_ranges }),
    voices: entry.voices ?? [],
    sizes: entry.sizes ?? [],
    max_input_images: described.max_input_images,
    timeout_ms: entry.timeout_ms,
    hides: describeModelParameters(entry).hides_node_parameters,
    parameters: entry.parameters ?? [],
    json_mode: entry.json_mode ?? "json_schema",
    max_tokens_field: entry.max_tokens_field ?? "max_tokens",
  };
}

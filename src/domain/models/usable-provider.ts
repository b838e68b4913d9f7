import type { ProviderKind } from "../../contracts/models/provider.ts";
import type { ModelEntry } from "../../providers/model-entry.ts";

/** New prices of built-in models, by slug, in milli-credits. */
export type ModelPrices = Readonly<
  Record<
    string,
    {
      readonly credit_cost_milli_credits?: number | undefined;
      readonly input_milli_credits_per_1k?: number | undefined;
      readonly output_milli_credits_per_1k?: number | undefined;
    }
  >
>;

/** A provider that is enabled for a workspace and has its key or binding. */
export interface UsableProvider {
  readonly id: string;
  readonly kind: ProviderKind;
  /** Of a provider of the kind `openai_compatible`: whether it has the built-in models of OpenAI. */
  readonly catalog: "openai" | null;
  readonly prices: ModelPrices;
  /** The models that the operator added, in their order. */
  readonly models: readonly ModelEntry[];
}

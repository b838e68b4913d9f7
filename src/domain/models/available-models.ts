import type { ModelCapability } from "../../contracts/models/model.ts";
import { type ProviderKind, SAMPLE_PROVIDER_ID } from "../../contracts/models/provider.ts";
import type { CallableKinds } from "../../providers/callable.ts";
import { BUILT_IN_MODELS } from "../../providers/entries.ts";
import { CONTROL_RANGES, type ModelEntry, type ModelPrice } from "../../providers/model-entry.ts";
import type { ModelPrices, UsableProvider } from "./usable-provider.ts";

/** A model that a workspace can use, with the capabilities that this release can call. */
export interface AvailableModel {
  readonly provider: string;
  readonly entry: ModelEntry;
}

/** The place of each built-in model among the defaults. */
const BUILT_IN_PLACES: ReadonlyMap<string, number> = new Map(
  [...BUILT_IN_MODELS.values()].flat().map(({ model }, index) => [model, index]),
);

/**
 * Returns the models of the providers in the order of the defaults (docs/contract/models.md#defaults): built-in models
 * in the order of their list, then operators' models by provider and position, then those of `sample`. A slug of
 * several providers belongs to the first of them, so pass those of the workspace first.
 */
export function availableModels(
  providers: readonly UsableProvider[],
  callable: CallableKinds,
): readonly AvailableModel[] {
  const bySlug = new Map<string, AvailableModel>();
  for (const provider of providers) {
    for (const offered of offeredBy(provider, callable[provider.kind] ?? [])) {
      if (!bySlug.has(offered.entry.model)) {
        bySlug.set(offered.entry.model, offered);
      }
    }
  }
  // The sort is stable: models of one provider keep their order.
  return [...bySlug.values()].toSorted(
    (a, b) => placeOf(a) - placeOf(b) || compareTexts(a.provider, b.provider),
  );
}

function offeredBy(
  { id, kind, catalog, prices, models }: UsableProvider,
  callable: readonly ModelCapability[],
): AvailableModel[] {
  const hasBuiltIn = kind !== "openai_compatible" || catalog === "openai";
  const builtIn = hasBuiltIn ? (BUILT_IN_MODELS.get(kind) ?? []) : [];
  return [...builtIn.map((entry) => withPrice(entry, prices)), ...models].flatMap((entry) => {
    const capabilities = entry.capabilities.filter((each) => callable.includes(each));
    const offered = { ...entry, capabilities, ...rangesOf(entry, kind) };
    return capabilities.length === 0 ? [] : [{ provider: id, entry: offered }];
  });
}

function rangesOf({ controls = [] }: ModelEntry, kind: ProviderKind) {
  const ranges = Object.entries(CONTROL_RANGES[kind] ?? {}).filter(([control]) =>
    controls.some((each) => each === control),
  );
  return ranges.length === 0 ? {} : { control_ranges: Object.fromEntries(ranges) };
}

function withPrice(entry: ModelEntry, prices: ModelPrices): ModelEntry {
  const given = Object.hasOwn(prices, entry.model) ? prices[entry.model] : undefined;
  return given === undefined ? entry : { ...entry, price: changedPrice(entry.price, given) };
}

function changedPrice(price: ModelPrice, given: ModelPrices[string]): ModelPrice {
  if (price.cost_unit !== "per_1k_tokens") {
    const { credit_cost_milli_credits: cost = price.credit_cost_milli_credits } = given;
    return { ...price, credit_cost_milli_credits: cost };
  }
  const {
    input_milli_credits_per_1k: input = price.input_milli_credits_per_1k,
    output_milli_credits_per_1k: output = price.output_milli_credits_per_1k,
  } = given;
  return { ...price, input_milli_credits_per_1k: input, output_milli_credits_per_1k: output };
}

/** Operators' models share the place after all built-in ones; those of `sample` are last. */
function placeOf({ provider, entry }: AvailableModel): number {
  const place = BUILT_IN_PLACES.get(entry.model) ?? BUILT_IN_PLACES.size;
  return provider === SAMPLE_PROVIDER_ID ? BUILT_IN_PLACES.size + 1 + place : place;
}

export function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

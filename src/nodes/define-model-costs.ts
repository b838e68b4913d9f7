/** What one element of a node with a model costs (docs/contract/models.md#money). */
import type { ReferencedModel } from "../contracts/models/model-calls.ts";
import type { CostUnit } from "../contracts/models/model.ts";

/** What a call uses; a unit that is left out counts as one. */
export interface Amounts {
  readonly pixels?: number;
  readonly seconds?: number;
  readonly characters?: number;
}

/**
 * No call costs more, in milli-credits: what a provider reports may be any number, its charge ends at the reservation, and three
 * of these still add up to a safe integer.
 */
const COST_MAX = 1e15;

/** An amount of milli-credits, rounded up. */
export function wholeCost(milliCredits: number): number {
  return Math.min(Math.ceil(milliCredits), COST_MAX);
}

/** The cost of one call in milli-credits, rounded up; seconds are rounded up first. */
export function costOfCall(model: ReferencedModel, amounts: Amounts): number {
  const { cost_unit: unit, credit_cost_milli_credits: cost } = model;
  const { pixels = 1_000_000, seconds = 1, characters = 1_000 } = amounts;
  switch (unit) {
    case "per_megapixel":
      return wholeCost((cost * pixels) / 1_000_000);
    case "per_second":
      return wholeCost(cost * Math.ceil(seconds));
    case "per_1k_characters":
      return wholeCost((cost * characters) / 1_000);
    default:
      return cost;
  }
}

/** The highest cost of one call over the models of a chain. */
export function highestCost(chain: readonly ReferencedModel[], amounts: Amounts): number {
  return Math.max(0, ...chain.map((model) => costOfCall(model, amounts)));
}

/** Units whose amount does not depend on what is sent or made. */
const FIXED_UNITS: readonly CostUnit[] = ["per_image", "per_request"];

/**
 * Whether a call of a chain may cost less than the highest cost: with fallbacks, or if its amount is not known before.
 * `known` is the unit whose amount the definition states.
 */
export function mayCostLess(chain: readonly ReferencedModel[], known?: CostUnit): boolean {
  const fixed = known === undefined ? FIXED_UNITS : [...FIXED_UNITS, known];
  return chain.length > 1 || chain.some(({ cost_unit: unit }) => !fixed.includes(unit));
}

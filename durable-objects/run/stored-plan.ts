/**
 * What a run keeps of its plan: the fingerprint, by which code that wakes it knows whether it can
 * take it further, and the outline with every unit cost, from which it is shown and settled for ever.
 */
import { createHash } from "node:crypto";
import type { RunStart } from "../../src/contracts/run.ts";
import {
  EMPTY_OUTLINE,
  type Outline,
  outlineOf,
  packOutline,
  unpackOutline,
  withUnitCosts,
} from "../../src/engine/plan/outline.ts";
import type { Plan } from "../../src/engine/plan/plan.ts";
import { planFingerprintText } from "../../src/engine/plan/plan-fingerprint.ts";

/** As it lies in the run's facts. */
export interface StoredPlan {
  readonly fingerprint: string;
  readonly outline: unknown;
}

/** Of a run that was started by code which could make no plan of it: none has this fingerprint. */
export const NO_PLAN: StoredPlan = { fingerprint: "", outline: packOutline(EMPTY_OUTLINE) };

/** Plans are shared by the runs of a version. */
const fingerprints = new WeakMap<Plan, string>();
const kept = new WeakMap<Plan, StoredPlan>();

export function fingerprintOf(plan: Plan): string {
  let fingerprint = fingerprints.get(plan);
  if (fingerprint === undefined) {
    fingerprint = createHash("sha256").update(planFingerprintText(plan)).digest("base64url");
    fingerprints.set(plan, fingerprint);
  }
  return fingerprint;
}

export function storedPlanOf(plan: Plan): StoredPlan {
  let known = kept.get(plan);
  if (known === undefined) {
    known = { fingerprint: fingerprintOf(plan), outline: packOutline(outlineOf(plan)) };
    kept.set(plan, known);
  }
  return known;
}

/** The plan at the prices of the admission; a start from before they were sent has those of this code. */
export function pricedAtAdmission(plan: Plan, unitCosts: RunStart["unit_costs"]): Plan {
  if (unitCosts === undefined) {
    return plan;
  }
  const costs = new Map(unitCosts.map(({ node_id, milli_credits }) => [node_id, milli_credits]));
  return withUnitCosts(plan, ({ id }) => costs.get(id) ?? 0);
}

/**
 * The plan of a run that has started, from one that today's code made: with the run's own prices, or
 * undefined where the run cannot go on with it.
 */
export function resumablePlan(plan: Plan, fingerprint: string, outline: Outline): Plan | undefined {
  return fingerprintOf(plan) === fingerprint
    ? withUnitCosts(plan, ({ index }) => outline.nodes[index]?.costMilliCredits ?? 0)
    : undefined;
}

export function outlineIn(kept: StoredPlan): Outline {
  return unpackOutline(kept.outline);
}

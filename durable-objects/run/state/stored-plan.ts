/**
 * The stored plan of a run: the fingerprint, from which later code determines whether it can continue the run, and the
 * outline with all unit costs, which shows and settles the run permanently.
 */
import { createHash } from "node:crypto";
import type { RunStart } from "../../../src/contracts/runs/run.ts";
import {
  EMPTY_OUTLINE,
  type Outline,
  outlineOf,
  packOutline,
  unpackOutline,
  withUnitCosts,
} from "../../../src/engine/plan/outline.ts";
import type { Plan } from "../../../src/engine/plan/plan.ts";
import { planFingerprintText } from "../../../src/engine/plan/plan-fingerprint.ts";

/** The form in the run's metadata. */
export interface StoredPlan {
  readonly fingerprint: string;
  readonly outline: unknown;
}

/** For a run that was started by code that could not make its plan: no plan has this fingerprint. */
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

/** The plan at the prices of the admission; a start from before prices were sent has those of this code. */
export function pricedAtAdmission(plan: Plan, unitCosts: RunStart["unit_costs"]): Plan {
  if (unitCosts === undefined) {
    return plan;
  }
  const costs = new Map(unitCosts.map(({ node_id, milli_credits }) => [node_id, milli_credits]));
  return withUnitCosts(plan, ({ id }) => costs.get(id) ?? 0);
}

/**
 * The plan of a started run, made from the plan of current code: with the run's own prices, or undefined if the run
 * cannot continue with it.
 */
export function resumablePlan(plan: Plan, fingerprint: string, outline: Outline): Plan | undefined {
  return fingerprintOf(plan) === fingerprint
    ? withUnitCosts(plan, ({ index }) => outline.nodes[index]?.costMilliCredits ?? 0)
    : undefined;
}

export function outlineIn(kept: StoredPlan): Outline {
  return unpackOutline(kept.outline);
}

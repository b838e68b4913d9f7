import { isKnownAtSubmit } from "../../engine/plan/known-at-submit.ts";
import type { Plan } from "../../engine/plan/plan.ts";

/** Whether the number of elements of some axis is known only in the run (docs/contract/access.md#agents, docs/contract/credits.md#plans-known-in-the-run); `filed` inputs are stored files. */
export function hasDeferredFanOut(plan: Plan, filed: ReadonlySet<string>): boolean {
  return plan.axes.some((axis) => !isKnownAtSubmit(plan, axis.node, filed));
}

import type { RawOutput } from "../../contracts/run.ts";
import { countRawEntries, rawEntries } from "./raw-entries.ts";
import { ValueBudget } from "./value-budget.ts";
import { viewGroups } from "./view-groups.ts";
import type { ViewInput } from "./view-input.ts";

/** Executions are polled, so their outputs contain at most this much in values, and addresses for the rest. */
const POLLED_VALUES_MAX_BYTES = 1024 * 1024;

/** `outputs` and `outputs_total` of an execution object: the first `limit` raw entries (docs/contract/results.md#raw-outputs). */
export function firstOutputs(
  input: ViewInput,
  limit: number,
): { outputs: RawOutput[]; total: number } {
  const groups = viewGroups(input);
  const outputs: RawOutput[] = [];
  const budget = new ValueBudget(POLLED_VALUES_MAX_BYTES);
  if (limit > 0) {
    for (const { raw } of rawEntries(input, groups, { position: 0, element: 0 }, budget)) {
      outputs.push(raw);
      if (outputs.length === limit) {
        break;
      }
    }
  }
  return { outputs, total: countRawEntries(input, groups) };
}

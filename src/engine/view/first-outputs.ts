import type { RawOutput } from "../../contracts/runs/run.ts";
import { countRawEntries, type RawEntry, rawEntries } from "./raw-entries.ts";
import { ValueBudget } from "./value-budget.ts";
import { type ViewGroup, viewGroups } from "./view-groups.ts";
import type { ViewInput } from "./view-input.ts";

/** Executions are polled, so their outputs contain at most this much in values, and addresses for the rest. */
const POLLED_VALUES_MAX_BYTES = 1024 * 1024;

/** `outputs` and `outputs_total` of an execution object (docs/contract/results.md#raw-outputs). */
export interface FirstOutputs {
  readonly outputs: RawOutput[];
  readonly total: number;
  /**
   * Whether no later poll of this live run shows other outputs: the list is full, each is present, and none comes before
   * or between them.
   */
  readonly isFinal: boolean;
}

/** The first `limit` raw entries of a run. */
export function firstOutputs(input: ViewInput, limit: number): FirstOutputs {
  const groups = viewGroups(input);
  const outputs: RawOutput[] = [];
  const budget = new ValueBudget(POLLED_VALUES_MAX_BYTES);
  let isFinal = true;
  let last = { position: 0, nextIndex: 0 };
  if (limit > 0) {
    for (const entry of rawEntries(input, groups, { position: 0, element: 0 }, budget)) {
      if (entry instanceof Promise) {
        throw new TypeError("A poll does not wait for memory.");
      }
      outputs.push(entry.raw);
      isFinal &&= entry.raw.presence === "present" && isNext(groups, last, entry);
      last = entry;
      if (outputs.length === limit) {
        break;
      }
    }
  }
  return {
    outputs,
    total: countRawEntries(input, groups),
    isFinal: isFinal && outputs.length === limit,
  };
}

/** `outputs_total` of an execution object. */
export function countOutputs(input: ViewInput): number {
  return countRawEntries(input, viewGroups(input));
}

/** Whether no entry can come between two. */
function isNext(
  groups: readonly ViewGroup[],
  last: Pick<RawEntry, "position" | "nextIndex">,
  entry: RawEntry,
): boolean {
  return entry.position === last.position
    ? entry.nextIndex === last.nextIndex + 1
    : entry.nextIndex === 1 &&
        groups.slice(last.position, entry.position).every((group) => group.state !== "not_ready");
}

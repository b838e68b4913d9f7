import type { GroupedStart } from "../../contracts/runs/run-group-api.ts";
import { runGroupOf } from "../../storage/objects/run-group-object.ts";

/** Characters of the inputs of a run that its group may carry out. */
const INPUT_CHARS_MAX = 16_000;

/**
 * Whether the run of an item may end within its start and be carried out by its group, as far as the start tells: it asks no other
 * object, and stores nothing in R2.
 */
export function mayBeGrouped(start: GroupedStart): boolean {
  const chars = start.inputs.reduce((sum, { value_json: text }) => sum + text.length, 0);
  return (
    start.retry === undefined &&
    start.cache === undefined &&
    (start.input_files ?? []).length === 0 &&
    chars <= INPUT_CHARS_MAX
  );
}

/** The runs of each group, in their order. */
export function byGroup<T extends { readonly run_id: string }>(starts: readonly T[]): T[][] {
  return [...Map.groupBy(starts, ({ run_id: id }) => runGroupOf(id)).values()];
}

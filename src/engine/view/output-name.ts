import type { ViewInput, ViewOutput } from "./view-input.ts";

/**
 * `source.name`: the logical name with a suffix that is unique over all runs, so that callers do not use it as a key
 * (docs/contract/results.md#items).
 */
export function outputName(input: ViewInput, output: ViewOutput, element: number): string {
  return `${output.key}_${input.run.runId.slice(-12)}_${String(element)}`;
}

import type { ViewInput, ViewOutput } from "./view-input.ts";

/** `source.name`: the logical name with a suffix that is unique among all runs, so that nobody keys by it (docs/contract/results.md#items). */
export function outputName(input: ViewInput, output: ViewOutput, element: number): string {
  return `${output.key}_${input.run.runId.slice(-12)}_${String(element)}`;
}

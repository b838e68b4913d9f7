import type { GroupFacts, ViewInput, ViewOutput } from "./view-input.ts";

type GroupState = "present" | "absent" | "missing" | "not_ready";

/** One output as it stood when the view began: what is rendered later must not depend on what a run did meanwhile. */
export interface ViewGroup {
  readonly output: ViewOutput;
  readonly facts: GroupFacts;
  readonly state: GroupState;
  /** Number of elements that exist. */
  readonly cells: number;
}

/** State of an output group (docs/contract/results.md#groups). */
function groupState(facts: GroupFacts, isTerminal: boolean): GroupState {
  if (!isTerminal && !facts.isSettled) {
    return "not_ready";
  }
  if (facts.ok > 0) {
    return "present";
  }
  if (facts.isAxisAbsent) {
    return "absent";
  }
  if (facts.ok + facts.failed + facts.absent + facts.pending === 0) {
    // An iterated output with zero items is present with none; an output that the run never reached is missing.
    return facts.isSettled ? "present" : "missing";
  }
  return facts.failed + facts.pending > 0 ? "missing" : "absent";
}

/** The groups a caller sees, in the order of keys: those that the chosen interface declares. */
export function viewGroups(input: ViewInput): ViewGroup[] {
  return input.outputs
    .filter((output) => input.onlyNodeIds === null || input.onlyNodeIds.has(output.nodeId))
    .map((output) => {
      const facts = { ...input.facts(output) };
      return {
        output,
        facts,
        state: groupState(facts, input.run.isTerminal),
        cells: facts.ok + facts.failed + facts.absent + facts.pending,
      };
    });
}

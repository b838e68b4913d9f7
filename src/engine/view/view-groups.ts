import type { GroupMetadata, ViewInput, ViewOutput } from "./view-input.ts";

type GroupState = "present" | "absent" | "missing" | "not_ready";

/** One output at the start of the view: rendering must not depend on later changes of the run. */
export interface ViewGroup {
  readonly output: ViewOutput;
  readonly metadata: GroupMetadata;
  readonly state: GroupState;
  /** Number of elements that exist. */
  readonly cells: number;
}

/** State of an output group (docs/contract/results.md#groups). */
function groupState(metadata: GroupMetadata, isTerminal: boolean): GroupState {
  if (!isTerminal && !metadata.isSettled) {
    return "not_ready";
  }
  if (metadata.ok > 0) {
    return "present";
  }
  if (metadata.isAxisAbsent) {
    return "absent";
  }
  if (metadata.ok + metadata.failed + metadata.absent + metadata.pending === 0) {
    // An iterated output with zero items counts as present; an output that the run never reached is missing.
    return metadata.isSettled ? "present" : "missing";
  }
  return metadata.failed + metadata.pending > 0 ? "missing" : "absent";
}

/** The groups for the caller, in the order of keys: those that the selected interface declares. */
export function viewGroups(input: ViewInput): ViewGroup[] {
  return input.outputs
    .filter((output) => input.onlyNodeIds === null || input.onlyNodeIds.has(output.nodeId))
    .map((output) => {
      const metadata = { ...input.metadata(output) };
      return {
        output,
        metadata,
        state: groupState(metadata, input.run.isTerminal),
        cells: metadata.ok + metadata.failed + metadata.absent + metadata.pending,
      };
    });
}

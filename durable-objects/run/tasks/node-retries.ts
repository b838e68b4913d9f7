/** Retries of a run's nodes, in the metadata of the run: the trace shows them. */
import type { RunStore } from "../state/run-store.ts";

const PREFIX = "retries.";

/** Adds one retry to those of a node. */
export function countRetry(store: RunStore, node: number): void {
  const name = `${PREFIX}${node}`;
  store.putMetadata(name, Number(store.getMetadata(name) ?? 0) + 1);
}

/** Retries so far, by node. */
export function retryCounts(store: Pick<RunStore, "metadataWith">): Map<number, number> {
  return new Map(
    store
      .metadataWith(PREFIX)
      .map(([name, value]) => [Number(name.slice(PREFIX.length)), Number(value)]),
  );
}

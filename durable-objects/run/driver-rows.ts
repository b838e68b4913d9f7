import type { RunRows } from "../../src/engine/drive/run-rows.ts";
import type { RunStore } from "./run-store.ts";

/** A driver whose state is not that of the rows any more tried to commit. */
export class StaleDriverError extends Error {
  override readonly name = "StaleDriverError";
}

/**
 * The rows for one driver, which holds the state in memory. It commits until another driver takes
 * over, or until something was rolled back that its state may count on; then `commit` throws.
 */
export function driverRows(store: RunStore): RunRows {
  let epoch = ++store.epoch;
  return {
    cellsBetween: (node, from, to) => store.cellsBetween(node, from, to),
    cellsAt: (node, ords) => store.cellsAt(node, ords),
    axisRows: (axis) => store.axisRows(axis),
    reportedTasks: (limit) => store.reportedTasks(limit),
    commit: (commit) => {
      if (epoch !== store.epoch) {
        throw new StaleDriverError("The run was rebuilt from its rows under another driver.");
      }
      const isOutermost = !store.isInTransaction;
      try {
        store.commit(commit);
      } catch (error) {
        if (isOutermost) {
          // The driver takes its state over only after a commit: it is still that of the rows.
          epoch = store.epoch;
        }
        throw error;
      }
    },
  };
}

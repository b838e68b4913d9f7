/** What the tasks of a node have asked of models, for the run's trace. */
import type { ModelCalls, TaskReport } from "../../../src/contracts/runs/task.ts";
import type { RunStore } from "../state/run-store.ts";

/** Models of one node that are listed; a node asks four at most, and a run keeps its models. */
const MODELS_MAX = 32;

/** The models of a node in the order in which they were asked first. */
export function modelCallsOf(
  store: Pick<RunStore, "getMetadata">,
  node: number,
): readonly ModelCalls[] {
  const kept = store.getMetadata(keyOf(node));
  return kept === undefined ? [] : (JSON.parse(String(kept)) as ModelCalls[]);
}

/** Adds the calls of one report. Those of a result are written with the commit that takes it. */
export function addModelCalls(
  store: RunStore,
  node: number,
  { models = [], outcome }: Pick<TaskReport, "models" | "outcome">,
): void {
  if (models.length === 0) {
    return;
  }
  const text = JSON.stringify(joined(modelCallsOf(store, node), models).slice(0, MODELS_MAX));
  if (outcome.kind === "ok") {
    store.noteMetadata(keyOf(node), text);
  } else {
    store.putMetadata(keyOf(node), text);
  }
}

/** Pure. */
export function joined(
  known: readonly ModelCalls[],
  more: readonly ModelCalls[],
): readonly ModelCalls[] {
  const sums = [...known];
  for (const one of more) {
    const at = sums.findIndex(
      ({ provider, model }) => provider === one.provider && model === one.model,
    );
    const before = sums[at];
    if (before === undefined) {
      sums.push(one);
    } else {
      sums[at] = {
        ...before,
        calls: before.calls + one.calls,
        unconfirmed_repeats: before.unconfirmed_repeats + one.unconfirmed_repeats,
      };
    }
  }
  return sums;
}

function keyOf(node: number): string {
  return `models.${node}`;
}

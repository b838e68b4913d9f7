/** Validation by the service while the document is edited. */
import { writeGraph } from "../core/graph.ts";
import { readIssues } from "../core/issues.ts";
import { problemOf, reportOf } from "../core/save-workflow.ts";
import type { EditorStore } from "./store.ts";

/** From the last change to the check, in milliseconds. */
const CHECK_AFTER_MS = 400;

const timers = new WeakMap<EditorStore, ReturnType<typeof setTimeout>>();

/** Checks the document 400 ms after its last change. */
export function scheduleCheck(store: EditorStore): void {
  clearTimeout(timers.get(store));
  if (store.graph.nodes.length === 0) {
    store.set({ issues: [], check: "none" });
    return;
  }
  timers.set(
    store,
    setTimeout(() => void check(store), CHECK_AFTER_MS),
  );
}

async function check(store: EditorStore): Promise<void> {
  const { graph } = store;
  const { id } = store.state.workflow;
  store.set({ check: "checking" });
  try {
    const answer = await store.api.send(
      "POST",
      id === null ? "/workflows/validate" : `/workflows/${id}/validate`,
      { body: { definition: writeGraph(graph) } },
    );
    if (store.graph !== graph) {
      // A later check has newer issues.
      return;
    }
    if (answer.status === 200) {
      store.set({ issues: readIssues(graph, reportOf(answer.body)), check: "done" });
    } else {
      const { code, message } = problemOf(answer);
      store.set({ issues: readIssues(graph, { errors: [{ code, message }] }), check: "failed" });
    }
  } catch {
    store.set({ check: "failed" });
  }
}

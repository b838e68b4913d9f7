import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { RunStore } from "../../durable-objects/run/state/run-store.ts";
import type { TaskEntry } from "../../durable-objects/run/tasks/task-entry.ts";

/** Changes unsettled tasks of a run in its rows, and evicts its object. */
export async function changeTasks(
  stub: DurableObjectStub,
  change: (task: TaskEntry) => void,
): Promise<void> {
  await runInDurableObject(stub, (_object, state) => {
    const store = new RunStore(state.storage, Date.now);
    const places = store.blocks.storedTasks();
    store.transaction(() => {
      for (const { node, element } of places) {
        change(store.blocks.task(node, element)!);
        store.blocks.touch(node, element);
      }
    });
  });
  await evictDurableObject(stub);
}

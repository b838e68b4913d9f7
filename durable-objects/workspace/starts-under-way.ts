import type { WorkspaceStore } from "./workspace-store.ts";

/** A start that is older has not come through, and a list must not wait for its repeats. */
const UNDER_WAY_MS = 2_000;
const LOOK_MS = 5;

/**
 * Resolves once the runs that were just admitted have said how they stand. Their submits may have
 * been answered `running` already, and a list by status must then find them there: it reads its
 * caller's own writes. Starts that come while it waits are not waited for.
 */
export async function startsUnderWay(store: WorkspaceStore): Promise<void> {
  const untilMs = Date.now() + UNDER_WAY_MS;
  const lastSeq = store.lastSeq();
  while (Date.now() < untilMs && store.isStarting(lastSeq, untilMs - 2 * UNDER_WAY_MS)) {
    await scheduler.wait(LOOK_MS);
  }
}

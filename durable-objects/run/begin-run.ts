import { type RunStart, isTerminal } from "../../src/contracts/runs/run.ts";
import { ok, type Result } from "../../src/lib/result.ts";
import { noteTenant } from "./active-tenants.ts";
import { newRun, writeNewRun } from "./new-run.ts";
import type { RunLoop } from "./run-loop.ts";
import type { RunParts } from "./run-parts.ts";

export interface Begun<T> {
  readonly loop: RunLoop;
  readonly shown: T;
}

type BeginParts = Pick<
  RunParts,
  "env" | "store" | "access" | "alarms" | "inlineRetries" | "damaged"
>;

/**
 * Creates a run, and does its first piece of work; a repeat of the start finds the run. `show` is called before that
 * work. The caller lets the run go on. Throws if the run could not be stored.
 */
export async function beginRun<T>(
  { env, store, access, alarms, inlineRetries, damaged }: BeginParts,
  start: RunStart,
  show: () => T,
): Promise<Result<Begun<T>>> {
  noteTenant(env, start.workspace_id);
  if (store.exists) {
    const live = access.tryWake();
    if (live === null) {
      await damaged.giveUp(start.workspace_id);
      return damaged.unreadable;
    }
    // The workspace repeats a start until the run reports its status, which may be pending here.
    return ok({ loop: live.loop, shown: show() });
  }
  const made = await newRun(env, start, inlineRetries, store);
  if (store.exists) {
    // A repeat of this start arrived while large inputs were being stored.
    store.keep();
    return ok({ loop: access.awake().loop, shown: show() });
  }
  writeNewRun(store, made);
  const { loop, run, lines } = access.awake();
  lines.hold();
  const begins = run.machine !== null && !start.is_held;
  if (begins) {
    loop.begin();
  }
  const shown = show();
  if (begins) {
    await loop.firstSlices(1);
  }
  if (!store.exists) {
    // A failed write within the first slice removed the run: the workspace repeats the start.
    throw new Error("The run could not be stored.");
  }
  // One row for a run that has ended already. Until here the workspace's start would create it again.
  store.keep();
  const isEnded = isTerminal(run.state.status);
  lines.release(isEnded);
  if (!isEnded) {
    // Before the workspace is told, because from then on it no longer repeats the start.
    alarms.arm(Date.now());
  }
  return ok({ loop, shown });
}

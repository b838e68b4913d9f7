/** The parts that one run is made of, over the storage of its object, or over none while it is in memory only. */
import type { Env } from "../../src/platform/env.ts";
import { Signal } from "../shared/signal.ts";
import { DamagedRun } from "./damaged-run.ts";
import { OutputExpiry } from "./output-expiry.ts";
import { RunSource } from "./retry/run-source.ts";
import { SourceHolds } from "./retry/source-holds.ts";
import { RunAccess } from "./run-access.ts";
import { RunAlarms } from "./run-alarms.ts";
import { RunStore } from "./state/run-store.ts";
import { InlineRetries } from "./tasks/inline-retries.ts";
import { OrphanedFiles } from "./tasks/orphaned-files.ts";
import { RunTasks } from "./tasks/run-tasks.ts";
import { TaskStore } from "./tasks/task-store.ts";
import { EventStreams } from "./views/event-streams.ts";
import { RunViews } from "./views/run-views.ts";

export interface RunPlace {
  readonly env: Env;
  readonly storage: DurableObjectStorage;
  /** Undefined for an object without a name, which no run has. */
  readonly runId: string | undefined;
  readonly waitUntil: (promise: Promise<unknown>) => void;
}

export type RunParts = ReturnType<typeof runParts>;

export function runParts({ env, storage, runId, waitUntil }: RunPlace) {
  const store = new RunStore(storage, Date.now);
  const tasks = new TaskStore(store);
  const orphans = new OrphanedFiles({ store, files: env.FILES });
  const runTasks = new RunTasks(store, tasks, env.BOOT_ID, orphans);
  const alarms = new RunAlarms(storage, tasks, { isLocal: env.ENVIRONMENT === "local", runId });
  const inlineRetries = new InlineRetries(store, Math.random);
  const holds = new SourceHolds(env, store);
  const expiry = new OutputExpiry(env, store, holds);
  const source = new RunSource({ store, files: env.FILES, expiry, holds });
  const views = new RunViews(env, store, tasks, expiry);
  const damaged = new DamagedRun(env, runId);
  const streams = new EventStreams(store.log, storage, runTasks.texts);
  const access = new RunAccess({
    env,
    runId,
    store,
    tasks,
    runTasks,
    alarms,
    inlineRetries,
    orphans,
    streams,
    views,
    damaged,
    expiry,
    waitUntil,
  });
  /** Delayed heartbeats that wait for a cancel. */
  const abandoned = new Signal();
  return {
    env,
    store,
    tasks,
    runTasks,
    alarms,
    inlineRetries,
    expiry,
    source,
    views,
    damaged,
    streams,
    access,
    abandoned,
  };
}

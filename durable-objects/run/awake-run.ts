/** A run in memory with its driver, built from its rows when its object wakes. */
import type { Env } from "../../src/platform/env.ts";
import type { OrphanedFiles } from "./tasks/orphaned-files.ts";
import type { InlineRetries } from "./tasks/inline-retries.ts";
import type { EventStreams } from "./views/event-streams.ts";
import type { LiveRun } from "./live-run.ts";
import type { RunAlarms } from "./run-alarms.ts";
import { RunEffects } from "./run-effects.ts";
import { ChangeLines, runLogger, stateLine } from "./run-logging.ts";
import { RunLoop } from "./run-loop.ts";
import { RunOutbox } from "./run-outbox.ts";
import type { RunStore } from "./state/run-store.ts";
import type { RunTasks } from "./tasks/run-tasks.ts";
import type { RunViews } from "./views/run-views.ts";
import type { TaskStore } from "./tasks/task-store.ts";
import { remoteLookUp } from "./remote-look-up.ts";
import { remoteSource } from "./retry/remote-source.ts";
import { createHost } from "./run-host.ts";
import { wakeRun } from "./wake-run.ts";

export interface ObjectParts {
  readonly env: Env;
  readonly store: RunStore;
  readonly tasks: TaskStore;
  readonly runTasks: RunTasks;
  readonly alarms: RunAlarms;
  readonly inlineRetries: InlineRetries;
  readonly orphans: OrphanedFiles;
  readonly streams: EventStreams;
  readonly views: RunViews;
}

export interface AwakeRun {
  readonly run: LiveRun;
  readonly loop: RunLoop;
  readonly lines: ChangeLines;
  /** The seed of its secret names. */
  readonly seed: string;
}

/** `onBroken` is called when memory may be ahead of the rows. Throws DamagedRunError, FutureDatabaseError. */
export function awakeRun(
  parts: ObjectParts,
  onBroken: () => void,
): AwakeRun & { readonly isEndedNow: boolean } {
  const { env, store, tasks, runTasks, alarms, inlineRetries, orphans, streams, views } = parts;
  const { run, seed, isEndedNow } = wakeRun({
    store,
    tasks: runTasks,
    createSource: (metadata) => remoteSource(env, metadata, store),
    createLookUp: (metadata) => remoteLookUp(env, metadata, store),
    createHost: (metadata, of) => createHost(env, metadata, of, inlineRetries, store),
  });
  const { metadata, outline } = run;
  const { workspace_id, run_id } = metadata;
  const log = runLogger(metadata);
  const lines = new ChangeLines(log);
  store.log.onCommitted = (entry) => {
    streams.committed(entry);
    const line = stateLine(outline, entry);
    if (line !== null) {
      lines.add(line);
    }
  };
  const loop = new RunLoop(
    {
      store,
      tasks,
      runTasks,
      alarms,
      effects: new RunEffects(env),
      sweepFiles: () => orphans.sweep({ workspaceId: workspace_id, runId: run_id, seed }),
      bootId: env.BOOT_ID,
      outbox: new RunOutbox({
        env,
        store,
        run,
        view: (baseUrl) => views.of({ run, seed }, { v: 1, workspace_id, base_url: baseUrl }),
      }),
      givenUp: runTasks.givenUp,
      log,
      nowMs: Date.now,
      onBroken,
    },
    run,
  );
  return { run, loop, lines, seed, isEndedNow };
}

import { type Execution, isTerminal } from "../../src/contracts/runs/run.ts";
import type { ScheduleRecord } from "../../src/contracts/schedules/schedule-object-api.ts";
import type { ScheduleStatus } from "../../src/contracts/schedules/schedule.ts";
import { cancelExecution } from "../../src/domain/executions/cancel-execution.ts";
import { findScheduledRun } from "../../src/domain/schedules/find-scheduled-run.ts";
import { scheduleContext, startScheduledRun } from "../../src/domain/schedules/start-run.ts";
import { AppError } from "../../src/lib/errors/errors.ts";
import type { AppContext, CallerContext } from "../../src/platform/context.ts";
import { createContext } from "../../src/platform/create-context.ts";
import type { Env } from "../../src/platform/env.ts";
import { ScheduleRows } from "../../src/storage/d1/schedule-rows.ts";
import { workspaceObject } from "../../src/storage/objects/workspace-object.ts";

/** The outcome of a start. `unknown`: nothing is known, the same start is made again. */
export type StartOutcome =
  | { readonly kind: "started"; readonly execution: Execution }
  | { readonly kind: "refused"; readonly refusal: AppError; readonly run: string | null }
  | { readonly kind: "unknown"; readonly cause: unknown };

/** What the object of a schedule does outside of itself. Every call is safe to repeat. */
export class ScheduleEffects {
  readonly #env: Env;
  readonly #waitUntil: (promise: Promise<unknown>) => void;

  constructor(env: Env, waitUntil: (promise: Promise<unknown>) => void) {
    this.#env = env;
    this.#waitUntil = waitUntil;
  }

  /**
   * Starts the run of a firing, whose `key` is that of every attempt. The workspace forgets keys, so a repeat first looks
   * for a run of the same time that belongs to no other firing.
   */
  async start(
    record: ScheduleRecord,
    firing: {
      readonly key: string;
      readonly scheduledForMs: number;
      readonly isRepeat: boolean;
      /** Returns the runs of other firings. */
      readonly recorded: () => ReadonlySet<string>;
    },
  ): Promise<StartOutcome> {
    const ctx = this.#context(record);
    try {
      const execution = firing.isRepeat ? await findScheduledRun(ctx, record, firing) : undefined;
      return {
        kind: "started",
        execution: execution ?? (await startScheduledRun(ctx, record, firing)),
      };
    } catch (error) {
      if (!(error instanceof AppError) || error.status >= 500) {
        return { kind: "unknown", cause: error };
      }
      const run = error.members["execution_id"];
      return { kind: "refused", refusal: error, run: typeof run === "string" ? run : null };
    } finally {
      ctx.memory.release();
    }
  }

  /** Returns those of the runs that have not ended. */
  async liveOf(record: ScheduleRecord, runs: readonly string[]): Promise<string[]> {
    const workspace = workspaceObject({ env: this.#env }, record.workspace_id);
    const rows = await Promise.all(runs.map((run) => workspace.getRun(run)));
    return runs.filter((_, i) => {
      const row = rows[i];
      return row !== null && row !== undefined && !isTerminal(row.status);
    });
  }

  /** Requests the cancellation of runs; those that have ended stay as they are. */
  async cancel(record: ScheduleRecord, runs: readonly string[]): Promise<void> {
    const ctx = scheduleContext(this.#context(record), record);
    try {
      for (const run of runs) {
        await cancelUnlessEnded(ctx, run);
      }
    } finally {
      ctx.memory.release();
    }
  }

  /** Whether the row of a schedule exists: its creation was committed. */
  isCreated(record: ScheduleRecord): Promise<boolean> {
    return this.#rows(record).exists(record.id);
  }

  /** Writes the status and the workflow of a schedule for lists. */
  async list(record: ScheduleRecord, status: ScheduleStatus): Promise<void> {
    await this.#rows(record).update(record.id, { status, workflow: record.workflow });
  }

  async unlist(record: ScheduleRecord): Promise<void> {
    await this.#rows(record).delete(record.id);
  }

  #rows(record: ScheduleRecord): ScheduleRows {
    return new ScheduleRows(this.#env, record.workspace_id);
  }

  #context(record: ScheduleRecord): AppContext {
    const baseUrl = this.#env.BASE_URL === "" ? record.base_url : this.#env.BASE_URL;
    return createContext(this.#env, crypto.randomUUID(), baseUrl, this.#waitUntil);
  }
}

async function cancelUnlessEnded(ctx: CallerContext, run: string): Promise<void> {
  try {
    await cancelExecution(ctx, run);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "already_terminal") {
      throw error;
    }
  }
}

import type { Env } from "../../src/platform/env.ts";
import { createLogger, type Logger } from "../../src/platform/logger.ts";
import { describeCause } from "../../src/lib/errors/describe-cause.ts";
import { withDeadline } from "../../src/lib/with-deadline.ts";
import { AssetStore } from "../../src/storage/d1/asset-store.ts";
import { findBillingPlanOfWorkspace } from "../../src/storage/d1/billing-plan-store.ts";
import { measureRunFiles } from "../../src/storage/r2/measure-run-files.ts";
import { runObject } from "../../src/storage/objects/run-object.ts";
import { RetentionStore } from "./retention-store.ts";

const DAY_MS = 86_400_000;
/** Retry delay after a run object did not respond, or was still being written to. */
const RETRY_MS = 3_600_000;
/** Runs called at once. */
const RUNS_AT_ONCE = 10;
/** Duration of one pass of the alarm; other work of the workspace runs between two passes. */
const PASS_MS = 1_000;
/** Runs between two checkpoints, which are repeated after a crash. */
const RUNS_A_NOTE = 100;
/** Far longer than deleting some hundred files takes, but short enough for other runs that wait. */
const CALL_MAX_MS = 10_000;
/** If this many runs did not respond, none will. */
const REFUSED_MAX = 100;

/**
 * Deletes outputs whose retention by the plan has ended (docs/contract/results.md#retention): a daily job in each
 * workspace's own object, which knows its runs. So nothing scans all workspaces, and a workspace without kept outputs
 * costs nothing. The plan is read again each day: a changed plan applies to existing runs.
 */
export class OutputRetention {
  readonly #env: Env;
  readonly #store: RetentionStore;
  readonly #background: (work: Promise<void>) => void;
  readonly #log: Logger;
  #nextAtMs: number | null;
  #workspaceId: string | undefined;
  /** The cutoff of the current day's work: runs that ended by then are due. Undefined between two days. */
  #endedByMs: number | undefined;
  /** Every run up to this one has expired or is late. */
  #through: number;
  #isAnyFileRemoved = false;
  readonly #refused = new Set<string>();
  /** Runs whose values or files are kept for retries of them until tomorrow. */
  readonly #held = new Set<string>();

  /** `background` runs work that the alarm need not await. */
  constructor(env: Env, sql: SqlStorage, background: (work: Promise<void>) => void) {
    this.#env = env;
    this.#store = new RetentionStore(sql);
    this.#background = background;
    this.#workspaceId = this.#store.workspaceId;
    this.#log = createLogger({ service: "edgeloom", object: "workspace" });
    this.#nextAtMs = this.#store.nextAtMs;
    this.#through = this.#store.expiredThrough;
  }

  /** Id of the object's workspace; undefined before its first run. */
  get workspaceId(): string | undefined {
    return this.#workspaceId;
  }

  /** The due time of the alarm; null for never. */
  get nextAtMs(): number | null {
    return this.#nextAtMs;
  }

  /** A run is admitted; part of the caller's transaction. */
  noteAdmitted(workspaceId: string): void {
    if (this.#workspaceId === undefined) {
      this.#store.putWorkspaceId(workspaceId);
      this.#workspaceId = workspaceId;
    }
  }

  /** A run has ended; part of the caller's transaction. True if the alarm must be armed for it. */
  noteEnded(nowMs: number): boolean {
    if (this.#nextAtMs !== null) {
      return false;
    }
    this.#schedule(nowMs + DAY_MS);
    return true;
  }

  /** After a rollback. */
  reload(): void {
    this.#workspaceId = this.#store.workspaceId;
    this.#nextAtMs = this.#store.nextAtMs;
    this.#through = this.#store.expiredThrough;
  }

  /** Does a bounded part of the day's work, if it is due. Never throws. */
  async pass(): Promise<void> {
    const nowMs = Date.now();
    if (this.#nextAtMs === null || nowMs < this.#nextAtMs) {
      return;
    }
    try {
      await this.#work(nowMs);
    } catch (error) {
      this.#log.error("retention.pass_failed", { reason: describeCause(error) });
      this.#endDay(nowMs + RETRY_MS);
    }
  }

  async #work(nowMs: number): Promise<void> {
    this.#endedByMs ??= await this.#dueBy(nowMs);
    const untilMs = nowMs + PASS_MS;
    while (this.#refused.size < REFUSED_MAX) {
      const due = this.#nextDue(this.#endedByMs);
      if (due.length === 0) {
        break;
      }
      await Promise.all(due.map(async (runId) => await this.#expire(runId)));
      if (Date.now() >= untilMs) {
        return;
      }
    }
    if (this.#isAnyFileRemoved) {
      this.#background(this.#measure(nowMs));
    }
    if (this.#refused.size > 0) {
      this.#endDay(nowMs + RETRY_MS);
      return;
    }
    this.#store.putExpiredThrough(this.#through);
    this.#endDay(this.#store.isAnyKept() ? nowMs + DAY_MS : null);
  }

  /** The next runs whose outputs are due. Runs that are not due when they are passed are late from then on. */
  #nextDue(endedByMs: number): string[] {
    const due = this.#store.lateRuns(
      endedByMs,
      new Set([...this.#refused, ...this.#held]),
      RUNS_AT_ONCE,
    );
    let isAllBehind = true;
    for (let from = this.#through; due.length < RUNS_AT_ONCE;) {
      const runs = this.#store.runsAfter(from, endedByMs, RUNS_AT_ONCE);
      for (const run of runs) {
        if (run.is_expired === 0 && run.is_late === 0) {
          if (run.completed_at_ms !== null && run.completed_at_ms <= endedByMs) {
            // A run is passed once it has expired or did not respond.
            due.push(run.run_id);
            isAllBehind = false;
          } else {
            this.#store.markLate(run.run_id);
          }
        }
        this.#through = isAllBehind ? run.seq : this.#through;
        from = run.seq;
      }
      if (runs.length < RUNS_AT_ONCE) {
        break;
      }
    }
    if (this.#through - this.#store.expiredThrough >= RUNS_A_NOTE) {
      this.#store.putExpiredThrough(this.#through);
    }
    return due;
  }

  #refuse(runId: string): void {
    this.#refused.add(runId);
    this.#store.markLate(runId);
  }

  async #dueBy(nowMs: number): Promise<number> {
    const plan = await findBillingPlanOfWorkspace(this.#env, this.#workspace());
    if (plan === undefined) {
      throw new Error("the workspace's plan is not known");
    }
    return nowMs - plan.limits.output_retention_days * DAY_MS;
  }

  async #expire(runId: string): Promise<void> {
    try {
      const batch = this.#store.batchOf(runId);
      const request = { v: 1, workspace_id: this.#workspace(), batch } as const;
      const call = runObject({ env: this.#env }, runId).expireOutputs(request);
      const response = await withDeadline(call, CALL_MAX_MS);
      if (!response.ok && response.code !== "not_found") {
        throw new Error(`the run object refused: ${response.code}`);
      }
      // A run that was refused at admission has no object and has stored nothing.
      const outcome = response.ok
        ? response.value
        : { state: "removed" as const, expired_at_ms: Date.now(), has_files: false };
      this.#isAnyFileRemoved ||= outcome.has_files;
      if (outcome.state === "removed") {
        this.#store.markExpired(runId, outcome.expired_at_ms);
        this.#log.info("retention.outputs_removed", { run_id: runId });
      } else if (outcome.state === "busy") {
        this.#refuse(runId);
      } else if (outcome.state === "held") {
        this.#store.markHeld(runId, outcome.expired_at_ms);
        this.#held.add(runId);
      }
    } catch (error) {
      this.#refuse(runId);
      this.#log.error("retention.run_postponed", { run_id: runId, reason: describeCause(error) });
    }
  }

  /** Usage that limits uploads; otherwise it would stay high until the next request for usage. */
  async #measure(nowMs: number): Promise<void> {
    try {
      const workspaceId = this.#workspace();
      const { bytes, files } = await measureRunFiles(this.#env.FILES, workspaceId);
      await new AssetStore(this.#env, workspaceId).putOutputUsage(bytes, files, nowMs);
    } catch (error) {
      this.#log.error("retention.usage_not_measured", { reason: describeCause(error) });
    }
  }

  #workspace(): string {
    if (this.#workspaceId === undefined) {
      throw new Error("the object does not know its workspace");
    }
    return this.#workspaceId;
  }

  #endDay(nextAtMs: number | null): void {
    this.#endedByMs = undefined;
    this.#isAnyFileRemoved = false;
    this.#refused.clear();
    this.#held.clear();
    this.#schedule(nextAtMs);
  }

  #schedule(atMs: number | null): void {
    this.#nextAtMs = atMs;
    this.#store.putNext(atMs);
  }
}

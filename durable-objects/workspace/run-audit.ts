import type { Env } from "../../src/platform/env.ts";
import { createLogger, type Logger } from "../../src/platform/logger.ts";
import { describeCause } from "../../src/lib/errors/describe-cause.ts";
import { withDeadline } from "../../src/lib/with-deadline.ts";
import { runObject } from "../../src/storage/objects/run-object.ts";

/** A run that has held a slot for this long is checked, and again after the same time. */
const EVERY_MS = 600_000;
/** Runs checked at once. */
const RUNS_AT_ONCE = 10;
/** Duration of one pass of the alarm; the next pass continues. */
const PASS_MS = 1_000;
/** Far longer than a live object takes. */
const CALL_MAX_MS = 5_000;

interface AuditParts {
  readonly env: Env;
  readonly sql: SqlStorage;
  /** Id of the object's workspace; undefined before its first run. */
  readonly workspaceId: () => string | undefined;
  readonly isAnySlotTaken: () => boolean;
}

/**
 * Checks runs that have held a slot for long (docs/decisions/damaged-runs.md). A run normally reports its end itself. A
 * run whose stored data cannot be read does not, and does not know its workspace, which this call passes: it then ends,
 * which frees its slot and the rest of its reservation.
 */
export class RunAudit {
  readonly #parts: AuditParts;
  readonly #log: Logger;
  /** An instance that has just woken does not know when the last audit was. */
  #nextAtMs = 0;
  /** The last run that this audit has checked. */
  #through = 0;

  constructor(parts: AuditParts) {
    this.#parts = parts;
    this.#log = createLogger({ service: "edgeloom", object: "workspace" });
  }

  /** The due time of the alarm; null for never. */
  get nextAtMs(): number | null {
    return this.#parts.isAnySlotTaken() ? this.#nextAtMs : null;
  }

  /** Does a bounded part of the audit, if it is due. Never throws. */
  async pass(): Promise<void> {
    const nowMs = Date.now();
    const dueMs = this.nextAtMs;
    // A clock that was set back must not postpone it by as much.
    if (dueMs === null || (nowMs < dueMs && dueMs <= nowMs + EVERY_MS)) {
      return;
    }
    this.#nextAtMs = nowMs + EVERY_MS;
    const untilMs = nowMs + PASS_MS;
    for (;;) {
      const runs = this.slotHolders(this.#through, nowMs - EVERY_MS, RUNS_AT_ONCE);
      await Promise.all(runs.map(async ({ run_id: runId }) => await this.#ask(runId)));
      this.#through = runs.length < RUNS_AT_ONCE ? 0 : (runs.at(-1)?.seq ?? 0);
      if (this.#through === 0) {
        return;
      }
      if (Date.now() >= untilMs) {
        this.#nextAtMs = Date.now();
        return;
      }
    }
  }

  /** Runs that have a slot and were admitted by `byMs`, after the run `after`, without those that have not started. */
  slotHolders(after: number, byMs: number, limit: number): { seq: number; run_id: string }[] {
    const runs = this.#parts.sql
      .exec<{ seq: number; run_id: string; created_at_ms: number }>(
        `SELECT seq, run_id, created_at_ms FROM runs INDEXED BY runs_live
         WHERE is_live = 1 AND slot = 0 AND phase = 1 AND seq > ? ORDER BY seq LIMIT ?`,
        after,
        limit,
      )
      .toArray();
    // The index sorts by this column.
    return runs.filter(({ created_at_ms: createdAtMs }) => createdAtMs <= byMs);
  }

  async #ask(runId: string): Promise<void> {
    const workspaceId = this.#parts.workspaceId();
    if (workspaceId === undefined) {
      return;
    }
    try {
      const run = runObject({ env: this.#parts.env }, runId);
      await withDeadline(run.audit({ v: 1, workspace_id: workspaceId }), CALL_MAX_MS);
    } catch (error) {
      this.#log.error("run.audit_failed", { run_id: runId, reason: describeCause(error) });
    }
  }
}

import type { Env } from "../../src/platform/env.ts";
import { createLogger, type Logger } from "../../src/platform/logger.ts";
import { describeCause } from "../../src/lib/describe-cause.ts";
import { withDeadline } from "../../src/lib/with-deadline.ts";
import { runObject } from "../../src/storage/objects/run-object.ts";

/** A run that has a slot for so long is asked how it is, and again after as long. */
const EVERY_MS = 600_000;
/** Runs asked at once. */
const RUNS_AT_ONCE = 10;
/** One pass of the alarm goes on for so long; the next goes on behind it. */
const PASS_MS = 1_000;
/** Far beyond what a live object takes. */
const CALL_MAX_MS = 5_000;

interface AuditParts {
  readonly env: Env;
  readonly sql: SqlStorage;
  /** Whose object this is; undefined before its first run. */
  readonly workspaceId: () => string | undefined;
  readonly isAnySlotTaken: () => boolean;
}

/**
 * Asks runs that have had a slot for long how they are (docs/decisions/damaged-runs.md). A run reports its
 * end by itself. One whose stored data cannot be read does not, nor does it know its workspace, which
 * this call tells it: it then ends there, and its slot and the rest of its reservation are free.
 */
export class RunAudit {
  readonly #parts: AuditParts;
  readonly #log: Logger;
  /** An instance that has just woken does not know when the last audit was. */
  #nextAtMs = 0;
  /** The last run that this audit has asked. */
  #through = 0;

  constructor(parts: AuditParts) {
    this.#parts = parts;
    this.#log = createLogger({ service: "edgeloom", object: "workspace" });
  }

  /** When the alarm has to go off; null for never. */
  get nextAtMs(): number | null {
    return this.#parts.isAnySlotTaken() ? this.#nextAtMs : null;
  }

  /** A bounded piece of the audit, if it is due. Never throws. */
  async pass(): Promise<void> {
    const nowMs = Date.now();
    const dueMs = this.nextAtMs;
    // A clock that was set back must not put it off for as long.
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

  /** Runs that have a slot and were admitted by `byMs`, from behind `after` on; not those still to begin. */
  slotHolders(after: number, byMs: number, limit: number): { seq: number; run_id: string }[] {
    const runs = this.#parts.sql
      .exec<{ seq: number; run_id: string; created_at_ms: number }>(
        `SELECT seq, run_id, created_at_ms FROM runs INDEXED BY runs_live
         WHERE is_live = 1 AND slot = 0 AND phase = 1 AND seq > ? ORDER BY seq LIMIT ?`,
        after,
        limit,
      )
      .toArray();
    // They are sorted by it.
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
      this.#log.error("run.not_audited", { run_id: runId, reason: describeCause(error) });
    }
  }
}

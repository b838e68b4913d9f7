import { createHash } from "node:crypto";
import type { FiringRow, ScheduleState } from "../../contracts/schedules/schedule-object-api.ts";
import type { Schedule, ScheduleFiring } from "../../contracts/schedules/schedule.ts";
import { AppError } from "../../lib/errors/errors.ts";

/** Returns a schedule as callers see it. */
export function scheduleView(state: ScheduleState): Schedule {
  const { record } = state;
  return {
    id: record.id,
    name: record.name,
    status: state.status,
    workflow: record.workflow,
    version: record.version,
    interface: record.interface,
    inputs: JSON.parse(record.inputs_json) as Schedule["inputs"],
    admission_limits: record.admission_limits,
    cache: record.cache ?? null,
    cron: record.cron,
    interval_seconds: record.interval_seconds,
    time_zone: record.time_zone,
    starts_at: timeOrNull(record.starts_at_ms),
    ends_at: timeOrNull(record.ends_at_ms),
    max_runs: record.max_runs,
    jitter_seconds: record.jitter_seconds,
    overlap: record.overlap,
    catch_up: record.catch_up,
    catch_up_window_seconds: record.catch_up_window_seconds,
    scheduled_time_input: record.scheduled_time_input,
    next_at: timeOrNull(state.next_at_ms),
    last_at: timeOrNull(state.last_ms),
    runs_started: state.runs_started,
    created_at: new Date(record.created_at_ms).toISOString(),
    updated_at: new Date(record.updated_at_ms).toISOString(),
  };
}

export function firingView(row: FiringRow): ScheduleFiring {
  return {
    scheduled_for: new Date(row.scheduled_for_ms).toISOString(),
    due_at: new Date(row.due_at_ms).toISOString(),
    fired_at: timeOrNull(row.fired_at_ms),
    outcome: row.outcome,
    execution: row.execution,
    error_code: row.error_code,
  };
}

/**
 * Returns the ETag of a schedule: the revision that callers change, and a digest of what its clock changes.
 * `If-Match` compares the revision alone, so that a firing does not stand in the way of a change.
 */
export function scheduleEtag({
  record,
  status,
  next_at_ms,
  last_ms,
  runs_started,
}: ScheduleState): string {
  const clock = JSON.stringify([status, next_at_ms, last_ms, runs_started]);
  const digest = createHash("sha256").update(clock).digest("base64url").slice(0, 12);
  return `"r${String(record.revision)}-${digest}"`;
}

/** Checks an `If-Match` header. Throws `precondition_required` without one, `precondition_failed` with the current ETag. */
export function requireRevision(ifMatch: string | undefined, state: ScheduleState): void {
  if (ifMatch === undefined || ifMatch.trim() === "") {
    throw new AppError(
      "precondition_required",
      "Send If-Match with the ETag of GET /api/v1/schedules/{id}, so that no change by others is lost; * overwrites the current state.",
    );
  }
  const revision = `"r${String(state.record.revision)}-`;
  const tags = ifMatch.split(",").map((tag) => tag.trim().replace(/^W\//, ""));
  if (!tags.some((tag) => tag === "*" || tag.startsWith(revision))) {
    const etag = scheduleEtag(state);
    throw new AppError(
      "precondition_failed",
      `The schedule has changed: If-Match is ${ifMatch.slice(0, 80)}, the current ETag is ${etag}. Read it again, apply your change to it, and send that ETag.`,
      { headers: { etag } },
    );
  }
}

function timeOrNull(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}

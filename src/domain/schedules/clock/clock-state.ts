import type { FiringRow } from "../../../contracts/schedules/schedule-object-api.ts";
import type { ScheduleStatus } from "../../../contracts/schedules/schedule.ts";

/** The state of a schedule's clock, as its object stores it. Times are milliseconds since 1970. */

/** A nominal time and the time of its start, which is later by the jitter. */
export interface DueTime {
  readonly nominal_ms: number;
  readonly due_ms: number;
}

export interface ClockState {
  readonly status: ScheduleStatus;
  /** Nominal times up to it have been taken; it never falls, so that no nominal time is taken twice. */
  readonly scanned_ms: number;
  /** Taken and not due yet, by `due_ms`. */
  readonly delayed: readonly DueTime[];
  /** Due, in the order of their starts. */
  readonly ready: readonly DueTime[];
  /** Waits for the end of earlier runs. */
  readonly waiting: DueTime | null;
  /** Its run may have been committed: whatever happens, the same submit is repeated until its outcome is known. */
  readonly starting: (DueTime & { readonly begun_ms: number }) | null;
  /** Runs started at nominal times. */
  readonly runs_started: number;
  /** The nominal time of the last run that was started at one. */
  readonly last_ms: number | null;
  /** Runs that had not ended when last looked at, oldest first. */
  readonly live: readonly string[];
}

/** A firing to record. */
export type FiringRecord = Omit<FiringRow, "seq">;

/** A change of the state, with the firings to record, oldest first. */
export interface ClockChange {
  readonly state: ClockState;
  readonly firings: readonly FiringRecord[];
}

/** Returns the state of a schedule whose first time is after `nowMs`. */
export function newClock(nowMs: number): ClockState {
  return {
    status: "active",
    scanned_ms: nowMs,
    delayed: [],
    ready: [],
    waiting: null,
    starting: null,
    runs_started: 0,
    last_ms: null,
    live: [],
  };
}

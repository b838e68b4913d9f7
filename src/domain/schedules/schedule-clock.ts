import type {
  ScheduleRecord,
  ScheduleState,
} from "../../contracts/schedules/schedule-object-api.ts";
import { type ClockRules, nextAtMs } from "./clock/clock-rules.ts";
import type { ClockState } from "./clock/clock-state.ts";
import { nominalTimes, startDelayMs } from "./times/nominal-times.ts";

/** Returns the rules by which the clock of a schedule goes. */
export function clockRules(record: ScheduleRecord): ClockRules {
  return {
    times: nominalTimes(record),
    delayMs: (nominalMs) => startDelayMs(record.id, nominalMs, record.jitter_seconds),
    overlap: record.overlap,
    catch_up: record.catch_up,
    catch_up_window_ms: record.catch_up_window_seconds * 1000,
    max_runs: record.max_runs,
  };
}

/** Returns a schedule with what callers see of its clock. */
export function stateOf(
  record: ScheduleRecord,
  rules: ClockRules,
  clock: ClockState,
): ScheduleState {
  const { status, last_ms, runs_started } = clock;
  return { record, status, last_ms, runs_started, next_at_ms: nextAtMs(clock, rules) };
}

const TIMING = ["cron", "interval_seconds", "time_zone", "starts_at_ms", "jitter_seconds"] as const;

/** Whether two records have other nominal times or delays. */
export function isRetimed(one: ScheduleRecord, other: ScheduleRecord): boolean {
  return TIMING.some((name) => one[name] !== other[name]);
}

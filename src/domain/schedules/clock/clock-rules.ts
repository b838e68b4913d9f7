import { LIMITS } from "../../../lib/limits/limits-table.ts";
import { latestTimes, type NominalTimes } from "../times/nominal-times.ts";
import type { CatchUpPolicy, OverlapPolicy } from "../../../contracts/schedules/schedule.ts";
import type { ClockChange, ClockState, DueTime, FiringRecord } from "./clock-state.ts";

const CATCH_UP_MAX = LIMITS.schedule_catch_up.value;
/** A start that is later than this was missed, even if the service ran all the time. */
const LATE_MAX_MS = LIMITS.schedule_lateness.value;
/** Precision of starts: what is due within it before the service runs again is started, not missed. */
const PRECISION_MS = 1_000;
/**
 * Interval at which the ends of earlier runs are looked for while a start waits for them. It grows with the wait, so that a
 * long run is not looked at thousands of times.
 */
const WAIT_LOOK_MS = 1_000;
const WAIT_LOOK_MAX_MS = 30_000;
const WAIT_LOOK_PART = 1 / 20;
/** A policy may be changed from `allow` to another one, which then looks at this many of the last runs. */
const LIVE_MAX = 100;

/** The parts of a schedule that decide its starts. */
export interface ClockRules {
  readonly times: NominalTimes;
  /** Returns the delay of the start after a nominal time. */
  readonly delayMs: (nominalMs: number) => number;
  readonly overlap: OverlapPolicy;
  readonly catch_up: CatchUpPolicy;
  readonly catch_up_window_ms: number;
  readonly max_runs: number | null;
}

/** The present, and since when the service has been running; -Infinity if it ran when the clock last looked. */
export interface ClockMoment {
  readonly nowMs: number;
  readonly runningSinceMs: number;
}

/** What the object does next. `settled`: nothing until `wakeMs`. */
export type NextStep =
  | (ClockChange & { readonly kind: "settled" })
  | (ClockChange & {
      readonly kind: "start";
      readonly nominalMs: number;
      /** An earlier attempt of the same start may have made its run. */
      readonly isRepeat: boolean;
    })
  | (ClockChange & { readonly kind: "cancel"; readonly runs: readonly string[] });

/**
 * Takes the nominal times that have come, and sorts those that are due into starts and missed ones
 * (docs/contract/schedules.md#catch-up). Of more missed times than can be caught up, the latest are recorded.
 */
export function takeDue(state: ClockState, rules: ClockRules, moment: ClockMoment): ClockChange {
  const { nowMs } = moment;
  if (state.status !== "active") {
    return { state, firings: [] };
  }
  const taken = latestTimes(rules.times, state.scanned_ms, nowMs, CATCH_UP_MAX).map(
    (nominal_ms) => ({ nominal_ms, due_ms: nominal_ms + rules.delayMs(nominal_ms) }),
  );
  const open = [...state.delayed, ...taken].toSorted((a, b) => a.due_ms - b.due_ms);
  const due = open.filter(({ due_ms }) => due_ms <= nowMs);
  const isMissed = ({ due_ms }: DueTime) =>
    due_ms < moment.runningSinceMs - PRECISION_MS || due_ms < nowMs - LATE_MAX_MS;
  const missed = due.filter((time) => isMissed(time));
  const caught = new Set(caughtUp(missed, rules, nowMs));
  return {
    state: {
      ...state,
      scanned_ms: Math.max(state.scanned_ms, nowMs),
      delayed: open.filter(({ due_ms }) => due_ms > nowMs),
      ready: [...state.ready, ...due.filter((time) => !isMissed(time) || caught.has(time))],
    },
    firings: missed.filter((time) => !caught.has(time)).map((time) => firing(time, null, "missed")),
  };
}

function caughtUp(
  missed: readonly DueTime[],
  { catch_up, catch_up_window_ms }: ClockRules,
  nowMs: number,
): readonly DueTime[] {
  const recent = missed.filter(({ nominal_ms }) => nominal_ms >= nowMs - catch_up_window_ms);
  switch (catch_up) {
    case "none":
      return [];
    case "latest":
      return recent.slice(-1);
    case "all":
      return recent.slice(-CATCH_UP_MAX);
  }
}

/** Whether `nextStep` needs to know which runs of the schedule are live. */
export function needsLiveRuns(state: ClockState, { overlap }: ClockRules): boolean {
  return (
    state.starting === null &&
    state.live.length > 0 &&
    overlap !== "allow" &&
    (state.ready.length > 0 || state.waiting !== null)
  );
}

/**
 * Returns the next step (docs/contract/schedules.md#overlap). A start is stored before it is made, with `starting`, and
 * goes on until `noteStarted` or `noteRefused`.
 */
export function nextStep(given: ClockState, rules: ClockRules, nowMs: number): NextStep {
  if (given.starting !== null) {
    const nominalMs = given.starting.nominal_ms;
    return { kind: "start", nominalMs, isRepeat: true, state: given, firings: [] };
  }
  const firings: FiringRecord[] = [];
  let state = given;
  while (state.status === "active") {
    if (rules.max_runs !== null && state.runs_started >= rules.max_runs) {
      state = { ...state, status: "ended", delayed: [], ready: [], waiting: null };
      break;
    }
    const isFree = rules.overlap === "allow" || state.live.length === 0;
    if (state.waiting !== null && isFree) {
      return begin({ ...state, waiting: null }, state.waiting, nowMs, firings);
    }
    const [next, ...ready] = state.ready;
    if (next === undefined) {
      break;
    }
    if (isFree) {
      return begin({ ...state, ready }, next, nowMs, firings);
    }
    state = { ...state, ready };
    if (rules.overlap === "cancel_previous") {
      if (state.waiting !== null) {
        firings.push(firing(state.waiting, nowMs, "skipped_overlap"));
      }
      firings.push(firing(next, nowMs, "queued"));
      return { kind: "cancel", runs: state.live, state: { ...state, waiting: next }, firings };
    }
    if (rules.overlap === "queue" && state.waiting === null) {
      firings.push(firing(next, nowMs, "queued"));
      state = { ...state, waiting: next };
    } else {
      firings.push(firing(next, nowMs, "skipped_overlap"));
    }
  }
  return { kind: "settled", state: endIfOver(state, rules), firings };
}

function begin(
  state: ClockState,
  time: DueTime,
  nowMs: number,
  firings: readonly FiringRecord[],
): NextStep {
  const starting = { ...time, begun_ms: nowMs };
  const nominalMs = time.nominal_ms;
  return { kind: "start", nominalMs, isRepeat: false, state: { ...state, starting }, firings };
}

/** The start that was under way has made a run. A repeat changes nothing. */
export function noteStarted(
  state: ClockState,
  nominalMs: number,
  run: string,
  nowMs: number,
): ClockChange {
  if (state.starting?.nominal_ms !== nominalMs) {
    return { state, firings: [] };
  }
  return {
    state: {
      ...state,
      starting: null,
      runs_started: state.runs_started + 1,
      last_ms: nominalMs,
      live: [...state.live, run].slice(-LIVE_MAX),
    },
    firings: [{ ...firing(state.starting, nowMs, "started"), execution: run }],
  };
}

/** A run was started by a call. It counts as an earlier run of the schedule, and not towards `max_runs`. */
export function noteTriggered(
  state: ClockState,
  atMs: number,
  { run, nowMs }: { readonly run: string; readonly nowMs: number },
): ClockChange {
  const time = { nominal_ms: atMs, due_ms: atMs };
  return {
    state: { ...state, live: [...state.live, run].slice(-LIVE_MAX) },
    firings: [{ ...firing(time, nowMs, "triggered"), execution: run }],
  };
}

/** The start that was under way was refused; `run` is the failed run that the refusal has made, if any. */
export function noteRefused(
  state: ClockState,
  nominalMs: number,
  refusal: { readonly code: string; readonly run: string | null },
  nowMs: number,
): ClockChange {
  if (state.starting?.nominal_ms !== nominalMs) {
    return { state, firings: [] };
  }
  const failed = firing(state.starting, nowMs, "failed");
  return {
    state: { ...state, starting: null },
    firings: [{ ...failed, error_code: refusal.code, execution: refusal.run }],
  };
}

/** Times that are due, delayed or waiting are missed: a paused schedule catches nothing up. */
export function pauseClock(state: ClockState): ClockChange {
  if (state.status !== "active") {
    return { state, firings: [] };
  }
  return { ...dropTimes(state), state: { ...dropTimes(state).state, status: "paused" } };
}

/** The next time is after `nowMs`, also if the clock had run on while the schedule was paused. */
export function resumeClock(state: ClockState, rules: ClockRules, nowMs: number): ClockState {
  return endIfOver(
    { ...state, status: "active", scanned_ms: Math.max(state.scanned_ms, nowMs) },
    rules,
  );
}

/**
 * The schedule was changed; `rules` are the new ones. With other times, those that have not started are missed, and the
 * next time is after `nowMs`. A schedule that had ended goes on if it now has a time left.
 */
export function changeClock(
  given: ClockState,
  rules: ClockRules,
  { isRetimed, nowMs }: { readonly isRetimed: boolean; readonly nowMs: number },
): ClockChange {
  const { state, firings } = isRetimed ? dropTimes(given) : { state: given, firings: [] };
  const isNew = isRetimed || state.status === "ended";
  const changed = endIfOver(
    {
      ...state,
      status: state.status === "ended" ? "active" : state.status,
      scanned_ms: isNew ? Math.max(state.scanned_ms, nowMs) : state.scanned_ms,
    },
    rules,
  );
  if (changed.status !== "ended") {
    return { state: changed, firings };
  }
  const dropped = dropTimes(changed);
  return { state: dropped.state, firings: [...firings, ...dropped.firings] };
}

function dropTimes(state: ClockState): ClockChange {
  const dropped = [
    ...(state.waiting === null ? [] : [state.waiting]),
    ...state.ready,
    ...state.delayed,
  ];
  return {
    state: { ...state, delayed: [], ready: [], waiting: null },
    firings: dropped
      .toSorted((a, b) => a.nominal_ms - b.nominal_ms)
      .map((time) => firing(time, null, "missed")),
  };
}

/** Ends a schedule that has no more times. */
function endIfOver(state: ClockState, { times, max_runs }: ClockRules): ClockState {
  const isOver =
    (max_runs !== null && state.runs_started >= max_runs) ||
    (!hasOpenTimes(state) && times.next(state.scanned_ms) === null);
  return state.status === "active" && isOver ? { ...state, status: "ended" } : state;
}

function hasOpenTimes({ delayed, ready, waiting, starting }: ClockState): boolean {
  return delayed.length > 0 || ready.length > 0 || waiting !== null || starting !== null;
}

/** Returns the nominal time of the next start; null unless the schedule is active. */
export function nextAtMs(state: ClockState, { times }: ClockRules): number | null {
  if (state.status !== "active") {
    return null;
  }
  const open = [...state.ready, ...state.delayed].map(({ nominal_ms }) => nominal_ms);
  return open.length > 0 ? Math.min(...open) : times.next(state.scanned_ms);
}

/** Returns the time at which the object must look again; null if never. */
export function nextWakeMs(state: ClockState, { times }: ClockRules, nowMs: number): number | null {
  if (state.starting !== null || state.ready.length > 0) {
    return nowMs;
  }
  if (state.status !== "active") {
    return null;
  }
  const due = [
    state.delayed[0]?.due_ms ?? null,
    times.next(state.scanned_ms),
    state.waiting === null ? null : nowMs + waitLookMs(nowMs - state.waiting.due_ms),
  ].filter((ms) => ms !== null);
  return due.length === 0 ? null : Math.min(...due);
}

function waitLookMs(waitedMs: number): number {
  return Math.min(Math.max(waitedMs * WAIT_LOOK_PART, WAIT_LOOK_MS), WAIT_LOOK_MAX_MS);
}

function firing(
  { nominal_ms, due_ms }: DueTime,
  nowMs: number | null,
  outcome: FiringRecord["outcome"],
): FiringRecord {
  return {
    scheduled_for_ms: nominal_ms,
    due_at_ms: due_ms,
    fired_at_ms: nowMs,
    outcome,
    execution: null,
    error_code: null,
  };
}

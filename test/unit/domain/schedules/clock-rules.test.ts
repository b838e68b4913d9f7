import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  changeClock,
  type ClockRules,
  nextStep,
  nextWakeMs,
  noteRefused,
  noteStarted,
  pauseClock,
  resumeClock,
  takeDue,
} from "../../../../src/domain/schedules/clock/clock-rules.ts";
import {
  type ClockState,
  type FiringRecord,
  newClock,
} from "../../../../src/domain/schedules/clock/clock-state.ts";
import { nominalTimes } from "../../../../src/domain/schedules/times/nominal-times.ts";

const HOUR = 3_600_000;
const rulesOf = (fields: Partial<ClockRules> = {}): ClockRules => ({
  times: nominalTimes({
    cron: null,
    interval_seconds: 3600,
    time_zone: "UTC",
    starts_at_ms: 0,
    ends_at_ms: null,
    created_at_ms: 0,
  }),
  delayMs: () => 0,
  overlap: "skip",
  catch_up: "latest",
  catch_up_window_ms: 24 * HOUR,
  max_runs: null,
  ...fields,
});

/** Takes all steps at a time; every start succeeds as the run `run {nominal time}`. */
function runAll(given: ClockState, rules: ClockRules, nowMs: number, runningSinceMs = -Infinity) {
  const taken = takeDue(given, rules, { nowMs, runningSinceMs });
  let { state } = taken;
  const firings: FiringRecord[] = [...taken.firings];
  for (;;) {
    const step = nextStep(state, rules, nowMs);
    state = step.state;
    firings.push(...step.firings);
    if (step.kind === "settled") {
      return {
        state,
        firings: firings.map(({ scheduled_for_ms: at, outcome }) => [at / HOUR, outcome]),
      };
    }
    if (step.kind === "start") {
      const noted = noteStarted(state, step.nominalMs, `run ${String(step.nominalMs)}`, nowMs);
      state = noted.state;
      firings.push(...noted.firings);
    }
  }
}

describe("the clock of a schedule", () => {
  it("starts each time once it has come", () => {
    const rules = rulesOf({ overlap: "allow" });
    const first = runAll(newClock(0), rules, HOUR);
    expect(first.firings).toEqual([[1, "started"]]);
    expect(runAll(first.state, rules, HOUR + 5).firings).toEqual([]);
    expect(runAll(first.state, rules, 2 * HOUR).firings).toEqual([[2, "started"]]);
  });

  it.each([
    [
      "none",
      [
        [1, "missed"],
        [2, "missed"],
        [3, "missed"],
      ],
    ],
    [
      "latest",
      [
        [1, "missed"],
        [2, "missed"],
        [3, "started"],
      ],
    ],
    [
      "all",
      [
        [1, "started"],
        [2, "started"],
        [3, "started"],
      ],
    ],
  ] as const)(
    "catches up %s of the times at which the service did not run",
    (catch_up, expected) => {
      const rules = rulesOf({ overlap: "allow", catch_up });
      const nowMs = 3 * HOUR + 5_000;
      expect(runAll(newClock(0), rules, nowMs, nowMs).firings).toEqual(expected);
    },
  );

  it("catches up at most a hundred times, the latest of them, oldest first", () => {
    const rules = rulesOf({ overlap: "allow", catch_up: "all", catch_up_window_ms: 7 * 24 * HOUR });
    const nowMs = 130 * HOUR + 5_000;
    const expected = Array.from({ length: 100 }, (_, at) => [31 + at, "started"]);
    expect(runAll(newClock(0), rules, nowMs, nowMs).firings).toEqual(expected);
    // With those that the jitter had delayed too.
    const delayed = Array.from({ length: 20 }, (_, at) => {
      const ms = (11 + at) * HOUR;
      return { nominal_ms: ms, due_ms: ms };
    });
    const state = { ...newClock(0), scanned_ms: 30 * HOUR, delayed };
    const { firings } = runAll(state, rules, nowMs, nowMs);
    expect(firings.filter(([, outcome]) => outcome === "started")).toEqual(expected);
    expect(firings).toHaveLength(120);
  });

  it("catches up nothing from before the window", () => {
    const rules = rulesOf({ overlap: "allow", catch_up: "all", catch_up_window_ms: 2 * HOUR });
    const { firings } = runAll(newClock(0), rules, 4 * HOUR + 120_000);
    expect(firings).toEqual([
      [1, "missed"],
      [2, "missed"],
      [3, "started"],
      [4, "started"],
    ]);
  });

  it("starts a time a little late without a word of catching up", () => {
    const rules = rulesOf({ catch_up: "none" });
    expect(runAll(newClock(0), rules, HOUR + 59_000).firings).toEqual([[1, "started"]]);
    expect(runAll(newClock(0), rules, HOUR + 61_000).firings).toEqual([[1, "missed"]]);
  });

  it.each([
    ["skip", [[2, "skipped_overlap"]], [[3, "skipped_overlap"]]],
    ["queue", [[2, "queued"]], [[3, "skipped_overlap"]]],
    [
      "cancel_previous",
      [[2, "queued"]],
      [
        [2, "skipped_overlap"],
        [3, "queued"],
      ],
    ],
    ["allow", [[2, "started"]], [[3, "started"]]],
  ] as const)("with overlap %s decides over a live run", (overlap, second, third) => {
    const rules = rulesOf({ overlap });
    const one = runAll(newClock(0), rules, HOUR);
    const two = runAll(one.state, rules, 2 * HOUR);
    const three = runAll(two.state, rules, 3 * HOUR);
    expect([two.firings, three.firings]).toEqual([second, third]);
    const ended = runAll({ ...three.state, live: [] }, rules, 3 * HOUR + 1);
    const waited = {
      skip: [],
      queue: [[2, "started"]],
      cancel_previous: [[3, "started"]],
      allow: [],
    };
    expect(ended.firings).toEqual(waited[overlap]);
  });

  it("goes on after a refusal, and ends with the last of its runs", () => {
    const rules = rulesOf({ max_runs: 1 });
    const taken = takeDue(newClock(0), rules, { nowMs: HOUR, runningSinceMs: -Infinity });
    const { state } = nextStep(taken.state, rules, HOUR);
    const refused = noteRefused(state, HOUR, { code: "insufficient_credits", run: null }, HOUR);
    expect(refused.firings).toMatchObject([
      { outcome: "failed", error_code: "insufficient_credits" },
    ]);
    const after = runAll(refused.state, rules, 2 * HOUR);
    expect(after.firings).toEqual([[2, "started"]]);
    expect(after.state.status).toBe("ended");
    expect(runAll(after.state, rules, 3 * HOUR).firings).toEqual([]);
  });

  it("catches up nothing that was missed while paused, also if the clock steps back", () => {
    const rules = rulesOf({ overlap: "allow", catch_up: "all" });
    const paused = pauseClock(newClock(0)).state;
    expect(runAll(paused, rules, 5 * HOUR).firings).toEqual([]);
    const resumed = resumeClock(paused, rules, 5 * HOUR);
    expect(runAll(resumed, rules, 6 * HOUR).firings).toEqual([[6, "started"]]);
    expect(runAll(resumed, rules, 2 * HOUR).firings).toEqual([]);
  });

  it("with other times misses those that wait and goes on after the change", () => {
    const rules = rulesOf({ overlap: "queue" });
    const one = runAll(newClock(0), rules, HOUR);
    const two = runAll(one.state, rules, 2 * HOUR);
    const same = changeClock(two.state, rules, { isRetimed: false, nowMs: 3 * HOUR });
    expect([same.firings, same.state]).toEqual([[], two.state]);
    const changed = changeClock(two.state, rules, { isRetimed: true, nowMs: 3 * HOUR });
    expect(changed.firings).toMatchObject([{ scheduled_for_ms: 2 * HOUR, outcome: "missed" }]);
    expect(runAll({ ...changed.state, live: [] }, rules, 4 * HOUR).firings).toEqual([
      [4, "started"],
    ]);
  });

  it("ends with its last time, once nothing of it is left to start", () => {
    const until = (endsMs: number): ClockRules["times"] => ({
      next: (afterMs) => {
        const next = rulesOf().times.next(afterMs);
        return next === null || next > endsMs ? null : next;
      },
    });
    const rules = rulesOf({ overlap: "queue", times: until(2 * HOUR) });
    const one = runAll(newClock(0), rules, HOUR);
    expect(one.state.status).toBe("active");
    const two = runAll(one.state, rules, 2 * HOUR);
    expect([two.firings, two.state.status]).toEqual([[[2, "queued"]], "active"]);
    const last = runAll({ ...two.state, live: [] }, rules, 3 * HOUR);
    expect([last.firings, last.state.status]).toEqual([[[2, "started"]], "ended"]);
    expect(nextWakeMs(last.state, rules, 3 * HOUR)).toBeNull();
  });

  it("that has ended goes on if a change leaves it a time, and otherwise stays ended", () => {
    const once = rulesOf({ overlap: "allow", max_runs: 1 });
    const ended = runAll(newClock(0), once, HOUR).state;
    const at = { isRetimed: false, nowMs: 5 * HOUR };
    expect(changeClock(ended, once, at).state.status).toBe("ended");
    const twice = { ...once, max_runs: 2 };
    const { state, firings } = changeClock(ended, twice, at);
    expect([state.status, firings]).toEqual(["active", []]);
    expect(runAll(state, twice, 6 * HOUR).firings).toEqual([[6, "started"]]);
  });

  it("that a change ends has nothing left to do", () => {
    const rules = rulesOf({ overlap: "queue" });
    const waiting = runAll(runAll(newClock(0), rules, HOUR).state, rules, 2 * HOUR).state;
    const ended = { ...rules, max_runs: 1 };
    const { state, firings } = changeClock(waiting, ended, { isRetimed: false, nowMs: 2 * HOUR });
    expect([state.status, firings.map(({ outcome }) => outcome)]).toEqual(["ended", ["missed"]]);
    expect(nextWakeMs(state, ended, 2 * HOUR)).toBeNull();
  });

  it("that waits for a run looks each second at first, and after an hour each half minute", () => {
    const rules = rulesOf({ overlap: "queue" });
    const { state } = runAll(runAll(newClock(0), rules, HOUR).state, rules, 2 * HOUR);
    const afterMs = (waitedMs: number) =>
      nextWakeMs(state, rules, 2 * HOUR + waitedMs)! - 2 * HOUR - waitedMs;
    expect([0, 20_000, 100_000, 0.9 * HOUR].map((waitedMs) => afterMs(waitedMs))).toEqual([
      1_000, 1_000, 5_000, 30_000,
    ]);
  });

  it("starts no nominal time twice, whatever steps the clock takes and wherever it is cut off", () => {
    fc.assert(
      fc.property(
        fc.constantFrom("skip", "queue", "allow", "cancel_previous"),
        fc.constantFrom("none", "latest", "all"),
        fc.integer({ min: 0, max: 2 }),
        fc.array(
          fc.record({
            stepMs: fc.integer({ min: -30 * HOUR, max: 30 * HOUR }),
            act: fc.constantFrom("run", "kill", "end", "pause", "resume"),
          }),
          { maxLength: 40 },
        ),
        (overlap, catch_up, jitterHours, steps) => {
          const delayMs = (ms: number) => ((ms / HOUR) % (jitterHours + 1)) * HOUR;
          const rules = rulesOf({ overlap, catch_up, delayMs });
          let state = newClock(0);
          let nowMs = 0;
          const made = new Map<number, number>();
          for (const { stepMs, act } of steps) {
            nowMs = Math.max(0, nowMs + stepMs);
            if (act === "end") {
              state = { ...state, live: [] };
            } else if (act === "pause") {
              ({ state } = pauseClock(state));
            } else if (act === "resume") {
              state = state.status === "paused" ? resumeClock(state, rules, nowMs) : state;
            }
            ({ state } = takeDue(state, rules, { nowMs, runningSinceMs: -Infinity }));
            for (;;) {
              const step = nextStep(state, rules, nowMs);
              ({ state } = step);
              if (step.kind === "settled" || (step.kind === "start" && act === "kill")) {
                break;
              }
              if (step.kind === "start") {
                made.set(step.nominalMs, (made.get(step.nominalMs) ?? 0) + 1);
                ({ state } = noteStarted(state, step.nominalMs, `run ${String(nowMs)}`, nowMs));
              }
            }
          }
          expect([...made.values()].filter((times) => times > 1)).toEqual([]);
          expect(state.runs_started).toBe(made.size);
        },
      ),
      { numRuns: 500 },
    );
  });
});

/**
 * Many isolates and one limiter object, in a simulated world with transit times and separate
 * clocks.
 */
import { describe, expect, test } from "vitest";
import type { LeaseOutcome } from "../../../../src/contracts/workspaces/rate-limit.ts";
import { LEASE_MS, permitsMax } from "../../../../src/domain/rate-limit/lease-policy.ts";
import { PermitLease, type Question } from "../../../../src/domain/rate-limit/permit-lease.ts";
import { SlidingWindow } from "../../../../src/domain/rate-limit/sliding-window.ts";
import { SeededRandom } from "../../../simulation/seeded-random.ts";

const WINDOW_MS = 60_000;
const START_MS = 1_700_000_000_000;

interface World {
  readonly seed: number;
  readonly limit: number;
  readonly isolates: number;
  /** Total requests per second at a time in the world. */
  readonly perSecond: (ms: number) => number;
  readonly durationMs: number;
  readonly transitMs: number;
  /** An isolate's clock at a time in the world. */
  readonly clockOf?: (ms: number, isolate: number) => number;
  readonly objectClock?: (ms: number) => number;
}

interface Played {
  /** Times at which requests were let through. */
  readonly served: number[];
  readonly refused: number[];
  readonly asked: number;
  readonly heldMax: number;
}

/**
 * Runs the world event by event: arrivals, requests that reach the object, replies that come back.
 */
function play(world: World): Played {
  const random = new SeededRandom(world.seed);
  const window = new SlidingWindow(WINDOW_MS);
  const leases = Array.from(
    { length: world.isolates },
    () => new PermitLease(world.limit, WINDOW_MS),
  );
  const clockOf = world.clockOf ?? ((ms: number) => ms);
  const objectClock = world.objectClock ?? ((ms: number) => ms);
  const served: number[] = [];
  const refused: number[] = [];
  const events: { ms: number; run: (ms: number) => void }[] = [];
  let asked = 0;
  let heldMax = 0;
  const at = (ms: number, run: (ms: number) => void) => {
    let place = events.length;
    while (place > 0 && events[place - 1]!.ms > ms) {
      place--;
    }
    events.splice(place, 0, { ms, run });
  };
  const transit = () => random.next() * world.transitMs;
  const put = (isolate: number, question: Question, ms: number, isWaiting: boolean) => {
    asked++;
    at(ms + transit(), (arrivedMs) => {
      const nowMs = objectClock(arrivedMs);
      const { want, spent, unused } = question.request;
      for (const { slice, count } of unused) {
        window.giveBack(slice, count);
      }
      window.record(spent, nowMs);
      const granted = window.take(world.limit, nowMs, want);
      const response: LeaseOutcome = {
        granted,
        slice: window.slices.at(-1)?.at ?? 0,
        remaining: Math.max(0, world.limit - window.used()),
        retry_after_ms: window.untilFree(world.limit, nowMs),
        reset_ms: window.untilEmpty(nowMs),
      };
      heldMax = Math.max(heldMax, granted);
      at(arrivedMs + transit(), (backMs) => {
        const mayGo = leases[isolate]!.settle(
          question,
          response,
          clockOf(backMs, isolate),
          isWaiting,
        );
        if (isWaiting) {
          // The object counted it when it replied: that is the time at which it was let through.
          (mayGo ? served : refused).push(mayGo ? arrivedMs : backMs);
        }
      });
    });
  };
  const arrive = (ms: number) => {
    const isolate = Math.floor(random.next() * world.isolates);
    const lease = leases[isolate]!;
    const nowMs = clockOf(ms, isolate);
    const verdict = lease.spend(nowMs);
    if (verdict === "granted") {
      served.push(ms);
      const question = lease.refill(nowMs);
      if (question !== undefined) {
        put(isolate, question, ms, false);
      }
    } else if (verdict === "refused") {
      refused.push(ms);
    } else {
      put(isolate, lease.ask(nowMs), ms, true);
    }
  };
  let nextMs = START_MS;
  while (nextMs < START_MS + world.durationMs) {
    while (events[0] !== undefined && events[0].ms <= nextMs) {
      const event = events.shift()!;
      event.run(event.ms);
    }
    arrive(nextMs);
    nextMs += (-Math.log(1 - random.next()) * 1_000) / world.perSecond(nextMs - START_MS);
  }
  while (events[0] !== undefined) {
    const event = events.shift()!;
    event.run(event.ms);
  }
  return { served: served.toSorted((a, b) => a - b), refused, asked, heldMax };
}

/** The maximum let through in any window of time. */
function busiest(served: readonly number[]): number {
  let most = 0;
  let from = 0;
  served.forEach((ms, to) => {
    while (served[from]! <= ms - WINDOW_MS) {
      from++;
    }
    most = Math.max(most, to - from + 1);
  });
  return most;
}

const flood = () => 60;

describe("leased permits", () => {
  test.each([
    { limit: 600, isolates: 1 },
    { limit: 600, isolates: 40 },
    { limit: 1_000, isolates: 7 },
    { limit: 3_000, isolates: 25 },
  ])(
    "of $isolates isolates exceed a limit of $limit by no more than documented",
    ({ limit, isolates }) => {
      for (let seed = 1; seed <= 6; seed++) {
        const perSecond = (ms: number) => ((ms / 20_000) % 2 < 1 ? limit / 12 : limit / 90);
        const { served } = play({
          seed,
          limit,
          isolates,
          perSecond,
          durationMs: 200_000,
          transitMs: 5 + seed * 60,
        });
        expect(busiest(served)).toBeLessThanOrEqual(limit + overshootMax(limit, isolates));
        expect(busiest(served)).toBeGreaterThan(limit * 0.95);
      }
    },
  );

  test("used at their very end are still counted when their window has nearly passed", () => {
    const limit = 600;
    const window = new SlidingWindow(WINDOW_MS);
    const leases = Array.from({ length: 50 }, () => new PermitLease(limit, WINDOW_MS));
    // The last millisecond of a slice: its rounding leaves no margin.
    const askedMs = START_MS + 499;
    const used = leases.map((lease) => {
      lease.spend(askedMs);
      const granted = window.take(limit, askedMs, permitsMax(limit));
      lease.settle(lease.ask(askedMs), outcome({ granted }), askedMs + 240, false);
      let count = 0;
      while (lease.spend(askedMs + 480) === "granted") {
        count++;
      }
      return count;
    });
    expect(used.reduce((sum, count) => sum + count)).toBe(limit);
    expect(window.take(limit, askedMs + 480 + WINDOW_MS - 1, limit)).toBe(0);
    expect(window.take(limit, askedMs + 1_001 + WINDOW_MS, limit)).toBe(limit);
  });

  test("below 600 per minute are requested one by one, and the limit is exact", () => {
    const { served, heldMax } = play({
      seed: 3,
      limit: 599,
      isolates: 20,
      perSecond: flood,
      durationMs: 150_000,
      transitMs: 40,
    });
    expect([busiest(served), heldMax]).toEqual([599, 1]);
  });

  test("are never more than 2 % of the window, or more than 250 ms of traffic", () => {
    const limit = 6_000;
    const busy = play({
      seed: 1,
      limit,
      isolates: 1,
      perSecond: () => 5_000,
      durationMs: 900,
      transitMs: 4,
    });
    expect(busy.heldMax).toBeLessThanOrEqual(permitsMax(limit));
    const calm = play({
      seed: 1,
      limit,
      isolates: 1,
      perSecond: () => 40,
      durationMs: 60_000,
      transitMs: 4,
    });
    // 10 in 250 ms on average; by chance up to three times as many arrive together.
    expect(calm.heldMax).toBeLessThanOrEqual(30);
  });

  test("let a steady caller use its plan's limit, except for the part that returns late", () => {
    for (const isolates of [1, 5, 30]) {
      const limit = 1_200;
      const { refused, served } = play({
        seed: isolates,
        limit,
        isolates,
        perSecond: () => (limit * 0.85) / 60,
        durationMs: 240_000,
        transitMs: 30,
      });
      expect(served.length).toBeGreaterThan(3_800);
      expect(refused.length / served.length).toBeLessThan(0.01);
    }
  });

  test("save a busy caller nearly all requests to the object", () => {
    const { served, asked } = play({
      seed: 9,
      limit: 100_000,
      isolates: 1,
      perSecond: () => 1_000,
      durationMs: 20_000,
      transitMs: 3,
    });
    expect(served.length).toBeGreaterThan(19_000);
    expect(asked).toBeLessThan(served.length / 40);
  });

  test("never make a caller with a free window wait, however rarely it calls", () => {
    const lease = new PermitLease(6_000, WINDOW_MS);
    expect(lease.spend(START_MS)).toBe("ask");
    lease.settle(lease.ask(START_MS), outcome({ granted: 1, remaining: 5_999 }), START_MS, true);
    for (let second = 1; second < 20; second++) {
      const nowMs = START_MS + second * 1_000;
      expect(lease.spend(nowMs)).toBe("granted");
      const question = lease.refill(nowMs)!;
      expect(question.request.spent).toBe(1);
      lease.settle(
        question,
        outcome({ granted: 0, remaining: 5_900, retry_after_ms: 0 }),
        nowMs,
        false,
      );
    }
  });

  test("are returned if they ended unused", () => {
    const lease = new PermitLease(6_000, WINDOW_MS);
    lease.spend(START_MS);
    lease.settle(lease.ask(START_MS), outcome({ granted: 8, slice: 77 }), START_MS, true);
    expect(lease.spend(START_MS + LEASE_MS - 1)).toBe("granted");
    lease.spend(START_MS + LEASE_MS);
    expect(lease.ask(START_MS + LEASE_MS).request.unused).toEqual([{ slice: 77, count: 6 }]);
    expect(lease.ask(START_MS + LEASE_MS).request.unused).toEqual([]);
  });
});

test("a lease with a long transit ends sooner after its arrival", () => {
  const lease = new PermitLease(6_000, WINDOW_MS);
  lease.spend(START_MS);
  lease.settle(lease.ask(START_MS), outcome({ granted: 8 }), START_MS + 450, true);
  expect(lease.spend(START_MS + 499)).toBe("granted");
  expect(lease.spend(START_MS + 500)).toBe("ask");
});

describe("a clock that steps", () => {
  const limit = 1_200;
  const isolates = 6;
  const world = {
    limit,
    isolates,
    durationMs: 200_000,
    transitMs: 20,
    perSecond: () => 40,
  };
  // After a minute, by this much.
  const step = (by: number) => (ms: number) => (ms > START_MS + 70_000 ? ms - by : ms);

  test.each([40, 5_000, 59_000, 3_600_000])(
    "back by %i ms in every isolate and the object neither exceeds the limit nor blocks a caller",
    (by) => {
      const { served, refused } = play({
        ...world,
        seed: by,
        clockOf: step(by),
        objectClock: step(by),
      });
      expect(busiest(served)).toBeLessThanOrEqual(
        limit + overshootMaxOfBrokenClocks(limit, isolates),
      );
      // After the step, as many are served as before: one limit per minute.
      const after = served.filter((ms) => ms > START_MS + 130_000).length;
      expect(after).toBeGreaterThan(limit);
      expect(refused.length).toBeGreaterThan(0);
    },
  );

  test("forward and back by an hour in single isolates changes nothing for the object", () => {
    const clockOf = (ms: number, isolate: number) =>
      isolate % 2 === 0 && Math.floor(ms / 3_000) % 2 === 0 ? ms + 3_600_000 : ms;
    const { served } = play({ ...world, seed: 5, clockOf });
    expect(busiest(served)).toBeLessThanOrEqual(
      limit + overshootMaxOfBrokenClocks(limit, isolates),
    );
    expect(busiest(served)).toBeGreaterThan(limit * 0.9);
  });

  test("and one that stops let each isolate use no more late permits than it held", () => {
    const { served } = play({ ...world, seed: 6, clockOf: () => START_MS });
    expect(busiest(served)).toBeLessThanOrEqual(
      limit + overshootMaxOfBrokenClocks(limit, isolates),
    );
  });

  test("back ends a refusal, so that the object decides again", () => {
    const lease = new PermitLease(60, WINDOW_MS);
    lease.spend(START_MS);
    lease.settle(lease.ask(START_MS), outcome({ granted: 0, retry_after_ms: 900 }), START_MS, true);
    expect(lease.spend(START_MS + 899)).toBe("refused");
    expect(lease.spend(START_MS - 10_000)).toBe("ask");
  });
});

describe("a refusal", () => {
  test("is kept for a second at most, because a plan may be raised", () => {
    const lease = new PermitLease(60, WINDOW_MS);
    lease.spend(START_MS);
    lease.settle(
      lease.ask(START_MS),
      outcome({ granted: 0, retry_after_ms: 40_000 }),
      START_MS,
      true,
    );
    expect(lease.spend(START_MS + 999)).toBe("refused");
    expect(lease.standing("organization", START_MS + 999).resetMs).toBe(39_001);
    expect(lease.spend(START_MS + 1_000)).toBe("ask");
  });

  test("is not derived from a request without a reply, whose report is sent again", () => {
    const lease = new PermitLease(6_000, WINDOW_MS);
    lease.spend(START_MS);
    lease.settle(lease.ask(START_MS), outcome({ granted: 1, remaining: 5_999 }), START_MS, true);
    lease.spend(START_MS + 1);
    const lost = lease.refill(START_MS + 1)!;
    lease.fail(lost);
    // No second request passes in advance until the first one is reported.
    expect(lease.spend(START_MS + 2)).toBe("ask");
    expect([lost.request.spent, lease.ask(START_MS + 2).request.spent]).toEqual([1, 1]);
  });
});

function outcome(given: Partial<LeaseOutcome>): LeaseOutcome {
  return { granted: 0, slice: 0, remaining: 0, retry_after_ms: 0, reset_ms: 60_000, ...given };
}

/**
 * Maximum number of requests by which `isolates` isolates together may exceed the limit in any
 * window, while their clocks run: each may let one request pass before the object replies.
 */
function overshootMax(limit: number, isolates: number): number {
  return permitsMax(limit) === 1 ? 0 : isolates;
}

/**
 * The same with any behavior of the isolates' clocks, including stopped ones: each may also use its
 * permits too late.
 */
function overshootMaxOfBrokenClocks(limit: number, isolates: number): number {
  return permitsMax(limit) === 1 ? 0 : isolates * (permitsMax(limit) + 1);
}

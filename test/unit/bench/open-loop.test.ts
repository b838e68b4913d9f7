import { describe, expect, it } from "vitest";
import { type LoopClock, openLoop } from "../../../bench/open-loop.ts";

/** Simulated time that advances only during sleeps; sleepers wake in the order of their times. */
class SteppedClock implements LoopClock {
  #now = 1000;
  #sleepers: { readonly at: number; readonly wake: () => void }[] = [];

  nowMs(): number {
    return this.#now;
  }

  sleepUntil(ms: number): Promise<void> {
    return new Promise((wake) => {
      this.#sleepers.push({ at: ms, wake });
    });
  }

  /** Wakes one sleeper after another until `over` has settled. */
  async run<T>(over: Promise<T>): Promise<T> {
    let isOver = false;
    const settle = () => {
      isOver = true;
    };
    over.then(settle, settle);
    for (let turns = 0; turns < 10_000; turns += 1) {
      // Running code continues to its next sleep first.
      for (let i = 0; i < 20; i += 1) {
        await Promise.resolve();
      }
      if (isOver) {
        break;
      }
      this.#sleepers.sort((a, b) => a.at - b.at);
      const next = this.#sleepers.shift();
      this.#now = Math.max(this.#now, next?.at ?? this.#now);
      next?.wake();
    }
    return over;
  }
}

describe("an open loop", () => {
  it("starts each call when it is due, however long others take", async () => {
    const clock = new SteppedClock();
    const startedMs: number[] = [];
    const loop = openLoop(
      async () => {
        startedMs.push(clock.nowMs() - 1000);
        await clock.sleepUntil(clock.nowMs() + 500);
      },
      { perSecond: 100, calls: 5, clock },
    );
    expect(await clock.run(loop)).toEqual([500, 500, 500, 500, 500]);
    expect(startedMs).toEqual([0, 10, 20, 30, 40]);
  });

  it("makes no call once it is over, and returns those that were due before", async () => {
    const clock = new SteppedClock();
    const loop = openLoop(() => clock.sleepUntil(clock.nowMs() + 500), {
      perSecond: 100,
      calls: Infinity,
      isOver: () => clock.nowMs() >= 1030,
      clock,
    });
    expect(await clock.run(loop)).toEqual([500, 500, 500]);
  });

  it("counts a stall against every call that was due during it", async () => {
    const clock = new SteppedClock();
    // One server that serves calls one after the other and stops for 300 ms at the third.
    let freeMs = 0;
    let served = 0;
    const loop = openLoop(
      () => {
        served += 1;
        freeMs = Math.max(freeMs, clock.nowMs()) + (served === 3 ? 300 : 1);
        return clock.sleepUntil(freeMs);
      },
      { perSecond: 100, calls: 6, clock },
    );
    expect(await clock.run(loop)).toEqual([1, 1, 300, 291, 282, 273]);
  });

  it("lets each client wait for its own previous call, and counts that time too", async () => {
    const clock = new SteppedClock();
    const startedMs: number[] = [];
    const loop = openLoop(
      async () => {
        startedMs.push(clock.nowMs() - 1000);
        await clock.sleepUntil(clock.nowMs() + 50);
      },
      { perSecond: 100, calls: 6, clients: 2, clock },
    );
    expect(await clock.run(loop)).toEqual([50, 50, 80, 80, 110, 110]);
    expect(startedMs).toEqual([0, 10, 50, 60, 100, 110]);
  });

  it("counts from the time at which a call was due if the loop itself was late", async () => {
    const clock = new SteppedClock();
    const late: LoopClock = {
      nowMs: () => clock.nowMs(),
      sleepUntil: (ms) => clock.sleepUntil(ms + 7),
    };
    const loop = openLoop(() => Promise.resolve(), { perSecond: 10, calls: 2, clock: late });
    expect(await clock.run(loop)).toEqual([7, 7]);
  });

  it("throws the error of a call", async () => {
    const clock = new SteppedClock();
    const loop = openLoop(() => Promise.reject(new Error("no")), {
      perSecond: 10,
      calls: 2,
      clock,
    });
    await expect(clock.run(loop)).rejects.toThrow("no");
  });
});

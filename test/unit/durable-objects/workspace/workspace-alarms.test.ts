import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { WorkspaceAlarms } from "../../../../durable-objects/workspace/workspace-alarms.ts";
import {
  type PendingStart,
  PendingStarts,
} from "../../../../durable-objects/workspace/pending-starts.ts";
import type { UndeliveredStarts } from "../../../../durable-objects/workspace/undelivered-starts.ts";
import type { WorkspaceEffects } from "../../../../durable-objects/workspace/workspace-effects.ts";

const T0 = 1_800_000_000_000;

const nothingElse = () => Promise.resolve();

/** Alarms with a storage that only records, and starts and effects scripted by the test. */
function alarmsWith(
  starts: Partial<UndeliveredStarts> = {},
  effects: Partial<WorkspaceEffects> = {},
  pending: readonly PendingStart[] = [],
) {
  const set: number[] = [];
  const storage = {
    setAlarm: (at: number) => {
      set.push(at);
      return Promise.resolve();
    },
  } as unknown as DurableObjectStorage;
  const alarms = new WorkspaceAlarms(
    storage,
    {
      due: () => [],
      postpone: () => undefined,
      nextDueMs: () => null,
      ...starts,
    } as unknown as UndeliveredStarts,
    new PendingStarts(pending, Date.now()),
    {
      sendStart: () => Promise.resolve(true),
      deliverPromotions: () => Promise.resolve(true),
      ...effects,
    } as unknown as WorkspaceEffects,
    false,
  );
  return { alarms, set };
}

describe("the workspace's alarm", () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: T0, toFake: ["Date"] });
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });

  it("is set once for a later time and again for an earlier time", () => {
    const { alarms, set } = alarmsWith();
    alarms.arm(T0 + 2000);
    alarms.arm(T0 + 3000);
    alarms.arm(T0 + 500);
    expect(set).toEqual([T0 + 2000, T0 + 500]);
  });

  it("is never set to the current time", () => {
    const { alarms, set } = alarmsWith();
    alarms.arm(T0 - 5);
    expect(set).toEqual([T0 + 1]);
  });

  it("that is due is not delayed by traffic, and one long overdue is set again", () => {
    const { alarms, set } = alarmsWith();
    alarms.arm(T0 + 2000);
    for (const lateMs of [2000, 2001, 5000]) {
      vi.setSystemTime(T0 + lateMs);
      alarms.arm(T0 + lateMs + 2000);
    }
    expect(set).toEqual([T0 + 2000]);
    vi.setSystemTime(T0 + 20_000);
    alarms.arm(T0 + 22_000);
    expect(set).toEqual([T0 + 2000, T0 + 22_000]);
  });

  it("fires for the next start, at once if it is overdue", async () => {
    const { alarms, set } = alarmsWith({ nextDueMs: () => T0 - 10 });
    await alarms.fire(nothingElse);
    expect(set).toEqual([T0 + 1]);
  });

  it("fires for promotions that were not delivered", async () => {
    const { alarms, set } = alarmsWith({}, { deliverPromotions: () => Promise.resolve(false) });
    await alarms.fire(nothingElse);
    expect(set).toEqual([T0 + 2000]);
  });

  it("repeats a start that was not acknowledged in time, and then leaves it to the index", async () => {
    const sent: string[] = [];
    const postponed: string[] = [];
    const start = { created_at_ms: T0 - 2000, phase: 0, is_live: 0 };
    const { alarms, set } = alarmsWith(
      {
        postpone: (runId) => {
          postponed.push(runId);
        },
      },
      {
        sendStart: (runId) => {
          sent.push(runId);
          return Promise.resolve(true);
        },
      },
      [
        { ...start, seq: 1, run_id: "overdue" },
        { ...start, seq: 2, run_id: "young", created_at_ms: T0 - 500 },
      ],
    );
    await alarms.fire(nothingElse);
    expect([sent, postponed]).toEqual([["overdue"], ["overdue"]]);
    expect(set).toEqual([T0 + 1500]);
    vi.setSystemTime(T0 + 1000);
    await alarms.fire(nothingElse);
    expect(sent).toEqual(["overdue"]);
  });

  it("repeats a lost start although the clock has been set back an hour", async () => {
    const sent: string[] = [];
    const start = { seq: 1, run_id: "lost", created_at_ms: T0, phase: 0, is_live: 0 };
    const { alarms } = alarmsWith(
      {},
      {
        sendStart: (runId) => {
          sent.push(runId);
          return Promise.resolve(true);
        },
      },
      [start],
    );
    vi.setSystemTime(T0 - 3_600_000);
    await alarms.fire(nothingElse);
    expect(sent).toEqual(["lost"]);
  });

  it("does not repeat a very recent start although its run's time is ahead of the clock", async () => {
    const sent: string[] = [];
    const start = { seq: 1, run_id: "new", created_at_ms: T0 + 3_600_000, phase: 0, is_live: 0 };
    const { alarms, set } = alarmsWith(
      {},
      {
        sendStart: (runId) => {
          sent.push(runId);
          return Promise.resolve(true);
        },
      },
      [start],
    );
    vi.setSystemTime(T0 + 500);
    await alarms.fire(nothingElse);
    expect([sent, set]).toEqual([[], [T0 + 2000]]);
  });

  it("finds repeats that are due, and those that a clock step back has put far ahead", async () => {
    const asked: number[][] = [];
    const { alarms, set } = alarmsWith({
      due: (...times) => {
        asked.push(times);
        return [];
      },
      nextDueMs: () => T0 + 3_600_000,
    });
    await alarms.fire(nothingElse);
    expect(asked).toEqual([[T0, T0 + 60_000, 20]]);
    expect(set).toEqual([T0 + 60_000]);
  });

  it("of an instance that has just started fires soon, because the previous alarm is lost", () => {
    const { alarms, set } = alarmsWith();
    alarms.arm(T0 + 86_400_000);
    alarms.arm(T0 + 90_000_000);
    expect(set).toEqual([T0 + 2000]);
  });

  it("does the rest of its work if a start cannot be repeated", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const { alarms, set } = alarmsWith({
      due: () => {
        throw new Error("disk");
      },
    });
    const rest = vi.fn(nothingElse);
    await alarms.fire(rest);
    expect(rest).toHaveBeenCalledOnce();
    expect(set.at(-1)).toBe(T0 + 2000);
  });

  it("is not set when nothing waits", async () => {
    const { alarms, set } = alarmsWith();
    await alarms.fire(nothingElse);
    expect(set).toEqual([]);
  });

  it("repeats a start with growing delays, at most a minute", async () => {
    const pauses: number[] = [];
    for (const attempts of [0, 1, 2, 50]) {
      const { alarms } = alarmsWith({
        due: () => [{ run_id: "r", attempts }],
        postpone: (_runId, dueAtMs) => {
          pauses.push(dueAtMs - T0);
        },
      });
      await alarms.fire(nothingElse);
    }
    expect(pauses).toEqual([2000, 4000, 8000, 60_000]);
  });

  it("never throws, and fires again after a fault", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const { alarms, set } = alarmsWith({
      due: () => {
        throw new Error("disk");
      },
    });
    await alarms.fire(nothingElse);
    expect(set).toEqual([T0 + 2000]);
  });
});

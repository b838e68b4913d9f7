import { describe, expect, it } from "vitest";
import { GroupCommit } from "../../../../durable-objects/workspace/group-commit.ts";

function turns() {
  let nowMs = 1_000;
  const open: (() => void)[] = [];
  const shared = new GroupCommit(
    () => nowMs,
    () =>
      new Promise((resolve) => {
        open.push(resolve);
      }),
  );
  return {
    call: (afterMs: number) => {
      nowMs += afterMs;
      return shared.wait();
    },
    opened: () => open.length,
    end: async () => {
      open.at(-1)?.();
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

describe("group commits of calls to an object", () => {
  it("do not delay calls that arrive one by one", () => {
    const { call, opened } = turns();
    expect(Array.from({ length: 50 }, () => call(5))).toEqual(Array.from({ length: 50 }));
    expect(opened()).toBe(0);
  });

  it("combine all calls that arrive before the commit begins, if calls arrive quickly", async () => {
    const { call, opened, end } = turns();
    const first = Array.from({ length: 5 }, () => call(1));
    expect(first).toEqual(Array.from({ length: 5 }));
    const shared = Array.from({ length: 4 }, () => call(1));
    expect(shared[0]).toBeInstanceOf(Promise);
    expect(new Set(shared).size).toBe(1);
    expect(opened()).toBe(1);
    let isOver = false;
    void shared[0]!.then(() => {
      isOver = true;
    });
    await Promise.resolve();
    expect(isOver).toBe(false);
    await end();
    expect(isOver).toBe(true);
  });

  it("are joined in order by a call that arrives at the end of a burst", async () => {
    const { call, end } = turns();
    const rush = Array.from({ length: 6 }, () => call(0));
    expect(call(10_000)).toBe(rush[5]);
    await end();
    expect(call(10_000)).toBeUndefined();
  });

  it("block no call when the clock steps back", () => {
    const { call, opened } = turns();
    for (let step = 0; step < 20; step += 1) {
      void call(-1_000);
    }
    expect(opened()).toBe(0);
  });
});

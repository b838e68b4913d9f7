import { afterEach, describe, expect, test, vi } from "vitest";
import { HeldResponses } from "../../../../src/workers/renderer/held-responses.ts";
import { RenderBusyError, RenderGate } from "../../../../src/workers/renderer/render-gate.ts";
import { SeededRandom } from "../../../simulation/seeded-random.ts";
import { sizeOf } from "../../../support/sizes.ts";
import { RenderTurns, WAITING_MAX } from "../../../../src/workers/renderer/render-turns.ts";

const order = (turns: RenderTurns, renders: readonly [workspace: string, ms: number][]) => {
  let nowMs = 0;
  const waiting = renders.map(([workspace, ms]) => ({
    turn: turns.join(workspace, true, nowMs)!,
    workspace,
    ms,
  }));
  const begun: string[] = [];
  while (waiting.length > 0) {
    const at = waiting.findIndex(({ turn }) => turns.poll(turn, nowMs));
    const [next] = waiting.splice(at, 1);
    expect(
      waiting.every(({ turn }) => !turns.poll(turn, nowMs)),
      "two at once",
    ).toBe(true);
    begun.push(next!.workspace);
    nowMs += next!.ms;
    turns.end(next!.turn, nowMs);
  }
  return begun.join("");
};

test("renders of one workspace run in order of arrival, one at a time", () => {
  expect(
    order(new RenderTurns(), [
      ["a", 5],
      ["a", 1],
      ["a", 3],
    ]),
  ).toBe("aaa");
});

test("a workspace with many renders does not delay another by more than one of them", () => {
  const many = Array.from({ length: 6 }, () => ["a", 10] as [string, number]);
  expect(order(new RenderTurns(), [...many, ["b", 10], ["b", 10]])).toBe("ababaaaa");
});

test("a workspace with slow renders gets as much time as one with quick ones", () => {
  const quick = Array.from({ length: 10 }, () => ["q", 10] as [string, number]);
  const begun = order(new RenderTurns(), [["s", 50], ["s", 50], ...quick]);
  expect(begun).toBe("sqqqqqsqqqqq");
});

test("a workspace that comes back is not served for the time in which it was away", () => {
  const turns = new RenderTurns();
  const first = turns.join("a", true, 0)!;
  turns.poll(first, 0);
  const late = turns.join("b", true, 5)!;
  turns.end(first, 1_000);
  const again = turns.join("a", true, 1_000)!;
  expect(turns.poll(again, 1_000)).toBe(false);
  expect(turns.poll(late, 1_000)).toBe(true);
});

test("only renders that may not wait are refused, per workspace", () => {
  const turns = new RenderTurns();
  for (let i = 0; i < WAITING_MAX; i++) {
    expect(turns.join("a", false, 0)).toBeDefined();
  }
  expect(turns.join("a", false, 0)).toBeUndefined();
  expect(turns.join("b", false, 0)).toBeDefined();
  expect(turns.join("a", true, 0)).toBeDefined();
});

test("a render that died with its object holds up the others for a limited time", () => {
  const turns = new RenderTurns();
  const dead = turns.join("a", true, 0)!;
  expect(turns.poll(dead, 0)).toBe(true);
  const next = turns.join("b", true, 0)!;
  let nowMs = 0;
  while (!turns.poll(next, nowMs) && nowMs < 60_000) {
    nowMs += 20;
  }
  expect(nowMs).toBeGreaterThan(29_000);
  expect(nowMs).toBeLessThan(31_000);
});

test("nobody is taken for dead because the thread or the machine stood still, however many ask after it", () => {
  const turns = new RenderTurns();
  const current = turns.join("a", true, 0)!;
  expect(turns.poll(current, 0)).toBe(true);
  const waiting = Array.from({ length: 200 }, () => turns.join("a", true, 0)!);
  // All but the last ask before it and before the one whose turn it is.
  for (const turn of waiting.slice(0, -1)) {
    expect(turns.poll(turn, 40_000)).toBe(false);
  }
  turns.end(current, 40_000);
  for (const turn of waiting) {
    expect(turns.poll(turn, 40_001)).toBe(true);
    turns.end(turn, 40_001);
  }
  expect([turns.isBusy, turns.waitingCount]).toEqual([false, 0]);
});

test("one that was taken for dead and asks again is served", () => {
  const turns = new RenderTurns();
  const slow = turns.join("a", true, 0)!;
  const current = turns.join("b", true, 0)!;
  const asks = turns.join("b", true, 0)!;
  turns.poll(slow, 0);
  turns.end(slow, 0);
  expect(turns.poll(current, 0)).toBe(true);
  const late = turns.join("a", true, 0)!;
  for (let nowMs = 0; nowMs < 40_000; nowMs += 20) {
    turns.poll(asks, nowMs);
    turns.beat(current);
  }
  expect(turns.waitingCount).toBe(1);
  turns.end(current, 40_000);
  turns.end(asks, 40_000);
  expect(turns.poll(late, 40_000)).toBe(true);
});

test("a failed render and an aborted one give their turn back", async () => {
  const turns = new RenderTurns();
  const gate = new RenderGate("a", turns);
  const { signal } = new AbortController();
  const request = { mayQueue: true, signal };
  await expect(gate.inTurn(request, () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  const held = Promise.withResolvers<string>();
  const first = gate.inTurn(request, () => held.promise);
  const abort = new AbortController();
  const second = gate.inTurn({ mayQueue: true, signal: abort.signal }, () =>
    Promise.resolve("never"),
  );
  abort.abort(new Error("gone"));
  await expect(second).rejects.toThrow("gone");
  held.resolve("made");
  expect(await first).toBe("made");
  expect([turns.isBusy, turns.waitingCount]).toEqual([false, 0]);
});

test("a render beyond the waiting ones is refused at once", async () => {
  const turns = new RenderTurns();
  const held = Promise.withResolvers<undefined>();
  const { signal } = new AbortController();
  const request = { mayQueue: false, signal };
  const running = new RenderGate("a", turns).inTurn(request, () => held.promise);
  const waiting = Array.from({ length: WAITING_MAX }, () =>
    new RenderGate("a", turns).inTurn(request, () => Promise.resolve("done")),
  );
  await expect(
    new RenderGate("a", turns).inTurn(request, () => Promise.resolve("no")),
  ).rejects.toThrow(RenderBusyError);
  held.resolve(undefined);
  await running;
  expect(await Promise.all(waiting)).toHaveLength(WAITING_MAX);
});

/** Renders of several gates, with waits, aborts, failures and a thread that stands still. Returns what went wrong. */
async function shaken(seed: number, turns: RenderTurns): Promise<string[]> {
  const random = new SeededRandom(seed);
  const responses = new HeldResponses();
  const gates = ["a", "a", "b", "c"].map((id) => new RenderGate(id, turns, responses));
  const wrong: string[] = [];
  let atOnce = 0;
  let settled = 0;
  const renders = Array.from({ length: 40 }, async (_, i) => {
    await wait(random.int(0, 60));
    const abort = new AbortController();
    const gate = gates[random.int(0, gates.length - 1)]!;
    const fate = random.int(0, 9);
    if (fate === 0) {
      setTimeout(() => abort.abort(new Error("gone")), random.int(0, 40));
    }
    const work = async () => {
      atOnce += 1;
      if (atOnce > 1) {
        wrong.push(`render ${i} began beside another`);
      }
      const held = fate === 1 ? responses.hold(5_000_000, Date.now) : undefined;
      await wait(random.int(0, 12));
      atOnce -= 1;
      setTimeout(() => held?.release(), 30);
      if (fate === 2) {
        throw new Error("planted");
      }
    };
    await gate.inTurn({ mayQueue: true, signal: abort.signal }, work).catch(() => {});
    settled += 1;
  });
  for (let round = 0; round < 30; round += 1) {
    await vi.advanceTimersByTimeAsync(random.int(1, 60));
    if (random.int(0, 9) === 0) {
      vi.setSystemTime(Date.now() + 45_000);
    }
  }
  await vi.advanceTimersByTimeAsync(5_000);
  if (settled < renders.length) {
    wrong.push(`${renders.length - settled} renders never ended`);
  }
  if (turns.isBusy || turns.waitingCount > 0 || vi.getTimerCount() > 0) {
    wrong.push("something is left");
  }
  return wrong;
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Hands a turn over without a word to the one that has it. */
class SilentTurns extends RenderTurns {
  override end(...given: Parameters<RenderTurns["end"]>): boolean {
    super.end(...given);
    return false;
  }
}

describe("renders in any order of waits, aborts, failures and standstills", () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  test("all end, one at a time, and leave nothing", async () => {
    vi.useFakeTimers();
    for (let seed = 1; seed <= sizeOf("renderTurnSeeds"); seed += 1) {
      expect(await shaken(seed, new RenderTurns()), `seed ${seed}`).toEqual([]);
    }
  });

  test("would be found waiting if one turn were given without a word", async () => {
    vi.useFakeTimers();
    expect(await shaken(1, new SilentTurns())).toContainEqual(
      expect.stringMatching(/renders never ended/),
    );
  });
});

import { expect, test } from "vitest";
import { inTurn, RenderBusyError } from "../../../../src/workers/renderer/render-gate.ts";
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
  // A thread that was busy has heard nobody: silence counts only while others ask.
  expect(turns.poll(next, 40_000)).toBe(false);
  let isServed = false;
  for (let poll = 0; poll < 100 && !isServed; poll++) {
    isServed = turns.poll(next, 40_000 + poll);
  }
  expect(isServed).toBe(true);
});

test("a failed render and an aborted one give their turn back", async () => {
  const turns = new RenderTurns();
  const request = (signal = new AbortController().signal, mayQueue = true) => ({
    workspaceId: "a",
    mayQueue,
    signal,
  });
  await expect(inTurn(request(), () => Promise.reject(new Error("no")), turns)).rejects.toThrow(
    "no",
  );
  const held = Promise.withResolvers<string>();
  const first = inTurn(request(), () => held.promise, turns);
  const abort = new AbortController();
  const second = inTurn(request(abort.signal), () => Promise.resolve("never"), turns);
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
  const request = { workspaceId: "a", mayQueue: false, signal };
  const running = inTurn(request, () => held.promise, turns);
  const waiting = Array.from({ length: WAITING_MAX }, () =>
    inTurn(request, () => Promise.resolve("done"), turns),
  );
  await expect(inTurn(request, () => Promise.resolve("no"), turns)).rejects.toThrow(
    RenderBusyError,
  );
  held.resolve(undefined);
  await running;
  expect(await Promise.all(waiting)).toHaveLength(WAITING_MAX);
});

import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { consume } from "../../../queues/consume.ts";
import type { NodeTasksMessage } from "../../../src/contracts/runs/task.ts";
import type { RunnerEnv } from "../../../src/platform/env.ts";
import { expectWithin } from "../../support/expect-within.ts";

type Accept = (hints: readonly NodeTasksMessage[]) => Promise<readonly boolean[]>;

const hint = (workspace_id: string, chunk: number, slot = 0) => ({
  v: 1,
  workspace_id,
  run_id: "run_1",
  slot,
  chunk,
});

/** Consumes bodies with executors that reply as set; returns the outcome of each message. */
async function fates(
  bodies: readonly unknown[],
  accept: (name: string) => Accept,
  queue = "node-tasks",
) {
  const presence: string[] = bodies.map(() => "nothing");
  const set = (index: number, what: string) => {
    // As on the platform: the first decision counts.
    presence[index] = presence[index] === "nothing" ? what : `${presence[index]}, then ${what}`;
  };
  const messages = bodies.map((body, index) => ({
    id: `${index}`,
    timestamp: new Date(0),
    attempts: 3,
    body,
    ack: () => {
      set(index, "ack");
    },
    retry: (options?: { delaySeconds?: number }) => {
      set(index, `retry in ${options?.delaySeconds}`);
    },
  }));
  const batch = {
    queue,
    messages,
    ackAll: () => {
      bodies.forEach((_, index) => {
        set(index, "ack");
      });
    },
    retryAll: (options?: { delaySeconds?: number }) => {
      bodies.forEach((_, index) => {
        set(index, `retry in ${options?.delaySeconds}`);
      });
    },
  };
  const EXECUTOR = {
    idFromName: (name: string) => name,
    get: (name: string) => ({ accept: accept(name) }),
  };
  await consume(batch as unknown as MessageBatch, { EXECUTOR } as unknown as RunnerEnv);
  return presence;
}

// Retries are logged; here that is every test.
beforeAll(() => {
  vi.spyOn(console, "error").mockImplementation(() => undefined);
});

afterAll(() => {
  vi.restoreAllMocks();
});

const all: Accept = (hints) => Promise.resolve(hints.map(() => true));

describe("the consumer", () => {
  test("sends each executor its hints in one call, and acknowledges them", async () => {
    const calls: [string, number[]][] = [];
    const bodies = [hint("a", 1), hint("b", 2), hint("a", 3), hint("a", 4, 1)];
    const presence = await fates(bodies, (name) => (hints) => {
      calls.push([name, hints.map(({ chunk }) => chunk)]);
      return all(hints);
    });
    expect(calls).toEqual([
      ["a:0", [1, 3]],
      ["b:0", [2]],
      ["a:1", [4]],
    ]);
    expect(presence).toEqual(["ack", "ack", "ack", "ack"]);
  });

  test("retries hints for which an executor has no room", async () => {
    const accept: Accept = (hints) => Promise.resolve(hints.map(({ chunk }) => chunk !== 2));
    expect(await fates([hint("a", 1), hint("a", 2)], () => accept)).toEqual(["ack", "retry in 1"]);
  });

  test.each([
    { ...hint("a", 1), v: 2 },
    { ...hint("a", 1), more: true },
    { ...hint("a", 1), slot: -1 },
    null,
    "text",
    JSON.parse('{"__proto__": {"v": 1}}'),
  ])("retries %j after a growing delay, and accepts the message next to it", async (body) => {
    expect(await fates([body, hint("a", 1)], () => all)).toEqual(["retry in 8", "ack"]);
  });

  test("retries messages of an unknown queue", async () => {
    expect(await fates([hint("a", 1)], () => all, "of-tomorrow")).toEqual(["retry in 60"]);
  });

  test("retries only the messages of an executor that failed", async () => {
    const accept = (name: string): Accept =>
      name === "a:0" ? () => Promise.reject(new Error("down")) : all;
    expect(await fates([hint("a", 1), hint("b", 1)], accept)).toEqual(["retry in 1", "ack"]);
  });

  test("returns within 50 ms if one executor never replies, and decides nothing twice", async () => {
    let response = (_accepted: readonly boolean[]) => {};
    const late = new Promise<readonly boolean[]>((resolve) => {
      response = resolve;
    });
    let presence: unknown;
    // The rest is the machine's own jitter; an await of the executor would never end.
    await expectWithin(50 + 50, async () => {
      presence = await fates([hint("a", 1), hint("b", 1)], (name) =>
        name === "a:0" ? () => late : all,
      );
    });
    response([true]);
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(presence).toEqual(["retry in 1", "ack"]);
  });
});

/** The places of a task at the gates of its providers, until it has ended. */
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { isTaskNode } from "../../../../durable-objects/executor/run-task.ts";
import type {
  GateEntry,
  GateLeave,
  ProviderGateApi,
} from "../../../../src/contracts/models/provider-gate.ts";
import { TaskGivenBack } from "../../../../src/lib/task-given-back.ts";
import { TaskSuspended } from "../../../../src/lib/task-suspended.ts";
import { IMAGE_VARIANT_NODES } from "../../../../src/nodes/ai/image-variants.ts";
import { fal } from "../../../../src/providers/fal/fal.ts";
import {
  RequestPlaces,
  taskGate,
  type TaskGate,
} from "../../../../src/workers/runner/model-gate.ts";
import { modelOf } from "../../../support/providers/call-provider.ts";
import { FalServer } from "../../../support/providers/fal-server.ts";
import {
  FAKED_TIMERS,
  ModelTask,
  START_MS,
  TaskClock,
} from "../../../support/providers/model-task.ts";
import { sendJson } from "../../../support/providers/openai-chat.ts";

const suspend = (): never => {
  throw new TaskSuspended();
};

beforeEach(() => {
  vi.useFakeTimers({ toFake: [...FAKED_TIMERS], now: START_MS });
  return () => {
    vi.useRealTimers();
  };
});

/** A gate whose answers are scripted: undefined admits, a number is a wait, "lost" never answers. */
function gateOf(name: string, answers: readonly (number | "lost" | undefined)[]) {
  const left = [...answers];
  const asked: boolean[] = [];
  const leave = vi.fn<TaskGate["leave"]>();
  const gate: TaskGate = {
    name,
    enter: (_holder, isWoken) => {
      asked.push(isWoken);
      const answer = left.shift();
      return answer === "lost"
        ? Promise.reject(new TaskGivenBack("environment"))
        : Promise.resolve(answer);
    },
    renew: () => Promise.resolve(0),
    leave,
    pause: () => {},
  };
  return { gate, asked, leave };
}

describe("an attempt that has made something", () => {
  test("asks again in place when the next gate is not reached, or has no place", async () => {
    const places = new RequestPlaces("task", new AbortController().signal);
    const [first, second] = [gateOf("a", []), gateOf("b", ["lost", 60_000, "lost", undefined])];
    await places.pass(first.gate, suspend);
    places.made();
    const passed = places.pass(second.gate, suspend);
    await vi.advanceTimersByTimeAsync(10_000);
    await passed;
    // Nobody is to wake it.
    expect(second.asked).toEqual([false, false, false, false]);
    places.end();
    expect([first.leave.mock.calls, second.leave.mock.calls]).toEqual([[["task"]], [["task"]]]);
  });

  test("leaves the queue in which it waits when it is aborted", async () => {
    const abort = new AbortController();
    const places = new RequestPlaces("task", abort.signal);
    places.made();
    const { gate, leave } = gateOf("a", [60_000, 60_000, 60_000]);
    const passed = places.pass(gate, suspend);
    const ended = expect(passed).rejects.toThrow("cancelled");
    await vi.advanceTimersByTimeAsync(700);
    abort.abort(new Error("cancelled"));
    await ended;
    places.end();
    expect(leave.mock.calls).toEqual([["task"]]);
  });
});

test("an attempt that has made nothing is given back when its gate is not reached, and waits elsewhere in the queue", async () => {
  const places = new RequestPlaces("task", new AbortController().signal);
  await expect(places.pass(gateOf("a", ["lost"]).gate, suspend)).rejects.toThrow(TaskGivenBack);
  const { gate, asked, leave } = gateOf("b", [60_000]);
  await expect(places.pass(gate, suspend)).rejects.toThrow(TaskSuspended);
  places.end();
  expect([asked, leave.mock.calls]).toEqual([[true], []]);
});

describe("a task that makes two pictures in jobs", () => {
  const queue = new FalServer();
  const clock = new TaskClock(vi);
  beforeAll(() => queue.server.start());
  afterAll(() => {
    queue.server.stop();
  });
  beforeEach(() => {
    queue.reset();
  });

  function taskOf(): ModelTask {
    const node = IMAGE_VARIANT_NODES[0];
    if (node === undefined || !isTaskNode(node)) {
      throw new Error("not a node that runs as a task");
    }
    return new ModelTask({
      provider: fal,
      connection: { baseUrl: queue.origin, apiKey: "key", headers: {} },
      model: modelOf({
        provider: "mine",
        remote_model: "fal-ai/flux/schnell",
        capabilities: ["text_to_image"],
        timeout_ms: 600_000,
      }),
      node,
      params: { width: 64, height: 64, variants: 2 },
      inputs: { prompt: "A kite." },
      operatorHosts: new URL(queue.origin).host,
      clock,
    });
  }

  test("leaves the queue of the gate when the first fails for good and the second waits", async () => {
    const task = taskOf();
    // All places but one are those of other jobs.
    const others = ["x", "y", "z"].map((holder) => ({ workspace: "ws_1", holder }));
    others.forEach((other) => task.gate.renew(other, { isJob: true }, START_MS));
    let queued = 0;
    queue.polls = 3;
    queue.result = () => {
      queued = task.gate.waiting;
      return { status: 500, body: { detail: [{ loc: [], msg: "", type: "downstream" }] } };
    };
    expect(await task.toEnd()).toMatchObject({ code: "PROVIDER_JOB_FAILED", calls: 1 });
    expect(queued).toBe(1);
    // The gate is told a moment after the end.
    await vi.advanceTimersByTimeAsync(1);
    expect([task.gate.waiting, task.gate.placesHeld]).toEqual([0, others.length]);
    // Nothing is reserved for it when a place becomes free.
    task.gate.leave({ workspace: "ws_1", run: "other", holder: "x" });
    expect([task.gate.grant(Date.now()), task.gate.placesHeld]).toEqual([[], 2]);
  });

  test("has no place between a submission that failed and the next one", async () => {
    const task = taskOf();
    const held: number[] = [];
    const skip = clock.skip.bind(clock);
    const spy = vi.spyOn(clock, "skip").mockImplementation(async (ms) => {
      await vi.advanceTimersByTimeAsync(1);
      held.push(task.gate.placesHeld);
      return skip(ms);
    });
    queue.interrupt = ({ method }, response) => {
      if (method === "POST" && held.length === 0) {
        sendJson(response, 503, {});
        return true;
      }
      return false;
    };
    await task.toEnd();
    spy.mockRestore();
    expect(held.slice(0, 2)).toEqual([0, 1]);
  });
});

describe("the end of a task at a gate", () => {
  /** A gate's object that keeps what it is told. */
  function told(name: string) {
    const entries: GateEntry[] = [];
    const leaves: GateLeave[] = [];
    const api: ProviderGateApi = {
      enter: (entry) => {
        entries.push(entry);
        return Promise.resolve({ admitted: true });
      },
      renew: () => Promise.resolve(0),
      leave: (leave) => {
        leaves.push(leave);
        return Promise.resolve();
      },
      pause: () => Promise.resolve(),
    };
    const gates = { idFromName: (id: string) => id, get: () => api } as never;
    const gateOfTask = (taskId: number) =>
      taskGate(gates, { name, limits: { all: 2, each: 2 } }, { ...WHO, taskId });
    return { entries, leaves, gateOfTask };
  }
  const WHO = { workspaceId: "ws", runId: "run" };
  const left = (holder: string) => ({ workspace_id: "ws", run_id: "run", holder });

  test("is told by the next task of the isolate, in the same call", async () => {
    const { entries, leaves, gateOfTask } = told("next");
    gateOfTask(1).leave("one");
    gateOfTask(2).leave("two");
    await gateOfTask(3).enter("three", true);
    expect(entries).toMatchObject([{ holder: "three", left: [left("one"), left("two")] }]);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(leaves).toEqual([]);
  });

  test("is told soon when no task follows", async () => {
    const { leaves, gateOfTask } = told("last");
    gateOfTask(1).leave("one");
    gateOfTask(2).leave("two");
    await vi.advanceTimersByTimeAsync(1);
    expect(leaves).toEqual([{ v: 1, left: [left("one"), left("two")] }]);
  });

  test("is told though the object that was to tell it is gone", async () => {
    const { leaves, gateOfTask } = told("lost");
    gateOfTask(1).leave("one");
    vi.clearAllTimers();
    vi.setSystemTime(Date.now() + 1_001);
    gateOfTask(2).leave("two");
    await vi.advanceTimersByTimeAsync(1);
    expect(leaves).toEqual([{ v: 1, left: [left("one"), left("two")] }]);
  });
});

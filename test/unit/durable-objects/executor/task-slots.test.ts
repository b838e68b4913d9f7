import { describe, expect, test } from "vitest";
import {
  LIVE_BYTES_MAX,
  TASKS_MAX,
  TaskSlots,
} from "../../../../durable-objects/executor/task-slots.ts";

/** Names of those let in, in order. */
function entering(slots: TaskSlots) {
  const entered: string[] = [];
  const enter = async (name: string, bytes: number) => {
    await slots.acquire(bytes);
    entered.push(name);
  };
  return { entered, enter: (name: string, bytes: number) => void enter(name, bytes) };
}

const settled = () => new Promise((resolve) => setTimeout(resolve, 0));

describe("task slots", () => {
  test("are as many as the bound says", async () => {
    const slots = new TaskSlots();
    const { entered, enter } = entering(slots);
    for (let task = 0; task <= TASKS_MAX; task++) {
      enter(`${task}`, 0);
    }
    await settled();
    expect(entered).toHaveLength(TASKS_MAX);
    slots.release(0);
    await settled();
    expect(entered.at(-1)).toBe(`${TASKS_MAX}`);
  });

  test("hold no more input bytes than the bound, and small ones pass a large one that waits", async () => {
    const slots = new TaskSlots();
    const { entered, enter } = entering(slots);
    enter("half", LIVE_BYTES_MAX / 2);
    enter("large", LIVE_BYTES_MAX);
    enter("small", 1);
    await settled();
    expect(entered).toEqual(["half", "small"]);
    slots.release(LIVE_BYTES_MAX / 2);
    await settled();
    expect(entered).toEqual(["half", "small"]);
    slots.release(1);
    await settled();
    expect(entered).toEqual(["half", "small", "large"]);
  });

  test("let in a task that alone is over the bound", async () => {
    const slots = new TaskSlots();
    const { entered, enter } = entering(slots);
    enter("huge", LIVE_BYTES_MAX * 2);
    enter("next", 0);
    await settled();
    expect(entered).toEqual(["huge"]);
    slots.release(LIVE_BYTES_MAX * 2);
    await settled();
    expect(entered).toEqual(["huge", "next"]);
  });
});

import { expect, test } from "vitest";
import { TaskQueue } from "../../../../durable-objects/executor/task-queue.ts";

test("tasks that compute start in separate turns, so that others run in between", async () => {
  const queue = new TaskQueue();
  const seen: string[] = [];
  const others = (async () => {
    for (let look = 0; look < 60 && seen.length < 40; look++) {
      await scheduler.wait(0);
      seen.push("other");
    }
  })();
  const tasks = Array.from({ length: 8 }, async (_, index) => {
    await queue.next("tenant", () => false);
    seen.push(`task ${index}`);
  });
  await Promise.all([...tasks, others]);
  const begun = seen.filter((name) => name.startsWith("task"));
  expect(begun).toEqual(Array.from({ length: 8 }, (_, index) => `task ${index}`));
  const first = seen.indexOf("task 0");
  const last = seen.indexOf("task 7");
  // Never two tasks in one turn: another event ran between any two.
  expect(seen.slice(first, last).filter((name) => name === "other").length).toBeGreaterThanOrEqual(
    6,
  );
});

test("a task that no longer needs a turn takes none", async () => {
  const queue = new TaskQueue();
  let isOver = false;
  const begun = Array.from({ length: 200 }, () => queue.next("tenant", () => isOver));
  await begun[0];
  isOver = true;
  let looks = 0;
  const all = Promise.all(begun).then(() => "all over" as const);
  while ((await Promise.race([all, scheduler.wait(0)])) !== "all over") {
    looks++;
  }
  expect(looks).toBeLessThan(20);
});

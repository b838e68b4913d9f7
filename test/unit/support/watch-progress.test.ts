import { expect, test } from "vitest";
import { ProgressWatch } from "../../support/node/watch-progress.ts";

const LIMIT_MS = 60_000;

test("a run in which tests end one after another has not stalled, however long it takes", () => {
  const watch = new ProgressWatch(LIMIT_MS, 0);
  watch.fileBegins("a.test.ts", 0);
  for (let nowMs = 0; nowMs < 10 * LIMIT_MS; nowMs += LIMIT_MS) {
    watch.testBegins("a.test.ts", "one", nowMs);
    expect(watch.stall(nowMs + LIMIT_MS)).toBeUndefined();
    watch.testEnds("a.test.ts", nowMs + LIMIT_MS);
  }
});

test("a run in which nothing begins or ends has stalled, and names what is running", () => {
  const watch = new ProgressWatch(LIMIT_MS, 0);
  watch.fileBegins("ended.test.ts", 0);
  watch.fileEnds("ended.test.ts", 1000);
  watch.fileBegins("a.test.ts", 1000);
  watch.testBegins("a.test.ts", "reads", 2000);
  watch.fileBegins("b.test.ts", 3000);
  watch.testBegins("b.test.ts", "writes", 4000);
  watch.testEnds("b.test.ts", 5000);
  expect(watch.stall(5000 + LIMIT_MS)).toBeUndefined();
  expect(watch.stall(5001 + LIMIT_MS)).toEqual({
    seconds: 60,
    running: ["a.test.ts: reads", "b.test.ts (between tests)"],
  });
});

test("a run whose first file never begins has stalled", () => {
  expect(new ProgressWatch(LIMIT_MS, 0).stall(LIMIT_MS + 1)).toEqual({ seconds: 60, running: [] });
});

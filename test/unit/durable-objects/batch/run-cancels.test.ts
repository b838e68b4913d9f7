import { expect, test } from "vitest";
import { RunCancels } from "../../../../durable-objects/batch/run-cancels.ts";

test("cancels are requested once of each live run, and again of those that did not accept it", async () => {
  const asked: string[] = [];
  const cancels = new RunCancels((run) => {
    asked.push(run);
    return Promise.resolve(run !== "b" || asked.filter((one) => one === "b").length > 1);
  });
  await cancels.request(["a", "b"]);
  await cancels.request(["a", "b", "c"]);
  await cancels.request(["a", "b", "c"]);
  expect(asked).toEqual(["a", "b", "b", "c"]);
});

test("runs that have ended are forgotten, so that attempts add up to nothing", async () => {
  const cancels = new RunCancels(() => Promise.resolve(true));
  for (let attempt = 0; attempt < 10; attempt++) {
    const live = Array.from({ length: 100 }, (_, at) => `${String(attempt)} ${String(at)}`);
    await cancels.request(live);
    expect(cancels.size).toBe(100);
  }
  await cancels.request([]);
  expect(cancels.size).toBe(0);
});

test("passes do not overlap, and at most fifty calls do", async () => {
  let [under, most] = [0, 0];
  const cancels = new RunCancels(async () => {
    most = Math.max(most, ++under);
    await Promise.resolve();
    under -= 1;
    return true;
  });
  const live = Array.from({ length: 120 }, (_, at) => String(at));
  await Promise.all([cancels.request(live), cancels.request(live)]);
  expect(most).toBe(50);
});

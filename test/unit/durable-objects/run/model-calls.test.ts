/** docs/contract/models.md#calls: what the trace has of a node's calls of models. */
import { expect, test } from "vitest";
import { CurrentCall } from "../../../../durable-objects/executor/current-call.ts";
import { joined } from "../../../../durable-objects/run/tasks/model-calls.ts";
import type { ModelCalls } from "../../../../src/contracts/runs/task.ts";

const calls = (provider: string, model: string, count: number, repeats = 0): ModelCalls => ({
  provider,
  model,
  calls: count,
  unconfirmed_repeats: repeats,
});

test("models stand in the order in which they were asked first, and their calls add up", () => {
  const first = [calls("mine", "first", 3, 1)];
  const all = joined(first, [calls("mine", "second", 1), calls("mine", "first", 2, 1)]);
  expect(all).toEqual([calls("mine", "first", 5, 2), calls("mine", "second", 1)]);
  // The same name at another provider is another model.
  expect(joined(all, [calls("other", "first", 1)]).map(({ provider }) => provider)).toEqual([
    "mine",
    "mine",
    "other",
  ]);
  expect(first).toEqual([calls("mine", "first", 3, 1)]);
});

test("an attempt reports its fallbacks in the order in which it asked them", () => {
  const task = { key: "call", attempt: 1, fence: 1 } as never;
  const call = new CurrentCall(task, () => undefined);
  for (const model of ["first", "second", "first", "third"]) {
    call.countCalls(calls("mine", model, 1));
  }
  expect(call.models).toEqual({
    models: [calls("mine", "first", 2), calls("mine", "second", 1), calls("mine", "third", 1)],
  });
});

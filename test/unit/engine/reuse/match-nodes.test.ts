import { expect, it } from "vitest";
import type { NodeReference } from "../../../../src/contracts/references.ts";
import type { PlanNode } from "../../../../src/engine/plan/plan.ts";
import { definitionText } from "../../../../src/engine/reuse/match-nodes.ts";
import type { JsonValue } from "../../../../src/lib/json/exact-json.ts";
import { planOf } from "../plan-of.ts";

const { nodes } = planOf(
  [
    ["in", "input/json_value"],
    ["task", "fake/task"],
    ["out", "output/json"],
  ],
  ["in.json > task.value", "task.out > out.json"],
);
const task = nodes.find(({ id }) => id === "task")!;

const withModel = (kind: string, content: JsonValue): PlanNode => {
  const version = JSON.stringify(content);
  const reference: NodeReference = {
    kind,
    id: "m",
    revision: null,
    path: "model",
    version,
    content,
  };
  return { ...task, references: [reference] };
};
const textOf = (node: PlanNode) => definitionText(node, "1");

it("[E36] a model is the same whatever it costs, and another one with another revision", () => {
  const model = { model: "m", revision: "1", credit_cost_milli_credits: 5 };
  const one = textOf(withModel("model", model));
  expect(textOf(withModel("model", { ...model, credit_cost_milli_credits: 9 }))).toBe(one);
  expect(textOf(withModel("model", { ...model, revision: "2" }))).not.toBe(one);
  expect(textOf(withModel("model", { ...model, model: "n" }))).not.toBe(one);
  const other = textOf(withModel("default_models", { text: model }));
  expect(textOf(withModel("default_models", { text: { ...model, timeout_ms: 1 } }))).toBe(other);
  expect(textOf(withModel("default_models", { text: { ...model, revision: "2" } }))).not.toBe(
    other,
  );
});

it("[E36] a model from before revisions were kept, and any other reference, is compared as a whole", () => {
  const { revision: _revision, ...old } = { model: "m", revision: "1", price: 5 };
  const one = textOf(withModel("model", old));
  expect(textOf(withModel("model", old))).toBe(one);
  expect(textOf(withModel("model", { ...old, price: 6 }))).not.toBe(one);
  const form = { model: "m", revision: "1", price: 5 };
  expect(textOf(withModel("form", { ...form, price: 6 }))).not.toBe(
    textOf(withModel("form", form)),
  );
});

it("[E36] a node is the same in any place and with any label, and another one with another type version", () => {
  expect(textOf({ ...task, label: "other", position: 9 })).toBe(textOf(task));
  expect(definitionText(task, "2")).not.toBe(textOf(task));
});

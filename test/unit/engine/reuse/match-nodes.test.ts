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

const withReference = (kind: string, content: JsonValue): PlanNode => {
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
  const one = textOf(withReference("model", model));
  expect(textOf(withReference("model", { ...model, credit_cost_milli_credits: 9 }))).toBe(one);
  expect(textOf(withReference("model", { ...model, revision: "2" }))).not.toBe(one);
  expect(textOf(withReference("model", { ...model, model: "n" }))).not.toBe(one);
  const other = textOf(withReference("default_models", { text: model }));
  expect(textOf(withReference("default_models", { text: { ...model, timeout_ms: 1 } }))).toBe(
    other,
  );
  expect(textOf(withReference("default_models", { text: { ...model, revision: "2" } }))).not.toBe(
    other,
  );
});

it("[E36] a chain of models is the same while each of its models is, in their order", () => {
  const chain = (...models: readonly (readonly [slug: string, revision: string])[]) =>
    textOf({
      ...task,
      references: models.map(([model, revision], at) => ({
        kind: "model",
        id: model,
        revision: null,
        path: at === 0 ? "model" : `fallback_models[${String(at - 1)}]`,
        version: "v",
        content: { model, revision },
      })),
    });
  const one = chain(["a", "1"], ["b", "1"]);
  expect(chain(["a", "1"], ["b", "1"])).toBe(one);
  expect(
    new Set([
      one,
      chain(["a", "1"], ["b", "2"]),
      chain(["b", "1"], ["a", "1"]),
      chain(["a", "1"]),
      chain(["a", "1"], ["b", "1"], ["c", "1"]),
    ]).size,
  ).toBe(5);
});

it("[E36] a connected port counts, with the number of its connections, and one that is not connected is another node", () => {
  const connected = (...inputs: readonly (readonly [port: string, sources: number])[]) =>
    textOf({
      ...task,
      inputs: inputs.map(([port, sources]) => {
        const [given] = task.inputs;
        return {
          ...given!,
          port,
          sources: Array.from({ length: sources }, () => given!.sources[0]!),
        };
      }),
    });
  const one = connected(["a", 1], ["b", 0]);
  expect(connected(["a", 1])).toBe(one);
  expect(connected(["b", 0], ["a", 1])).toBe(one);
  expect(new Set([one, connected(["a", 2]), connected(["a", 1], ["b", 1]), connected()]).size).toBe(
    4,
  );
});

it("[E36] a model from before revisions were kept, and any other reference, is compared as a whole", () => {
  const { revision: _revision, ...old } = { model: "m", revision: "1", price: 5 };
  const one = textOf(withReference("model", old));
  expect(textOf(withReference("model", old))).toBe(one);
  expect(textOf(withReference("model", { ...old, price: 6 }))).not.toBe(one);
  const form = { model: "m", revision: "1", price: 5 };
  expect(textOf(withReference("form", { ...form, price: 6 }))).not.toBe(
    textOf(withReference("form", form)),
  );
});

it("[E36] a template is the same whatever its status, and another one with another revision, content or font", () => {
  const pin = { name: "Own", family_guid: "f", version_guid: "1", fallback_guid: null };
  const template = {
    template_id: "tpl_1",
    name: "Label",
    status: "published",
    version_id: "tplv_1",
    content_hash: "sha256:0",
    font_pins: [pin],
  };
  const one = textOf(withReference("template", template));
  expect(textOf(withReference("template", { ...template, status: "archived", name: "x" }))).toBe(
    one,
  );
  for (const other of [
    { version_id: "tplv_2" },
    { content_hash: "sha256:1" },
    { font_pins: [{ ...pin, version_guid: "2" }] },
    { font_pins: [{ ...pin, fallback_guid: "s" }] },
    { font_pins: [] },
    { unavailable: "It is gone." },
  ]) {
    expect(
      textOf(withReference("template", { ...template, ...other })),
      JSON.stringify(other),
    ).not.toBe(one);
  }
  const draft = { ...template, version_id: null };
  expect(textOf(withReference("template", { ...draft, font_pins: [] }))).not.toBe(
    textOf(withReference("template", draft)),
  );
});

it("[E36] a node is the same in any place and with any label, and another one with another type version", () => {
  expect(textOf({ ...task, label: "other", position: 9 })).toBe(textOf(task));
  expect(definitionText(task, "2")).not.toBe(textOf(task));
});

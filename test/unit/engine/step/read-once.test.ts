/**
 * An aggregator with an input that is read once for each result, in the engine and in the
 * reference.
 */
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { compile } from "../../../../src/engine/compile/compile.ts";
import { type JsonValue, stringifyJson } from "../../../../src/lib/json/exact-json.ts";
import { NodeError } from "../../../../src/lib/errors/node-error.ts";
import { defineNode } from "../../../../src/nodes/define-node.ts";
import type { NodeType } from "../../../../src/nodes/define-roles.ts";
import { findNodeType } from "../../../../src/nodes/registry.ts";
import { defineGraph, type GraphNode } from "../../../simulation/define-graph.ts";
import { plainOutcome } from "../../../simulation/plain-outcome.ts";
import { interpret } from "../../../simulation/reference-interpreter.ts";
import { runEngine } from "../../../simulation/run-engine.ts";

/** A value that fails the whole result. */
const REFUSED = "12";

/** Joins its values and prepends the title, which it reads once. */
const titled = (isRequired: boolean) =>
  defineNode({
    type: "fake/titled",
    version: "1.0.0",
    name: "Titled",
    description: "Joins values under a title.",
    whenToUse: "In tests only.",
    status: "stable",
    icon: "list",
    color: "#888888",
    inputs: [
      { name: "value", type: "any" },
      { name: "title", type: "text", accepts: ["number"], once: true, required: isRequired },
    ],
    outputs: [{ name: "text", type: "text" }],
    params: z.strictObject({
      collapse: z.enum(["all", "innermost"]).default("all"),
      on_failed_items: z.enum(["skip", "fail"]).default("skip"),
    }),
    role: "aggregator",
    collapse: (params) => params.collapse,
    onFailedItems: (params) => params.on_failed_items,
    aggregate(_params, once) {
      const values: string[] = [];
      return {
        add: (columns) => {
          const text = stringifyJson(columns.get("value") as JsonValue);
          if (text === REFUSED) {
            throw new NodeError("TYPE_MISMATCH", "This value is refused.");
          }
          values.push(text);
        },
        finish: () =>
          new Map([["text", `${once.has("title") ? once.text("title") : "-"}: ${values.join()}`]]),
      };
    },
  }) as NodeType;

const find =
  (isRequired = true) =>
  (type: string) =>
    type === "fake/titled" ? titled(isRequired) : findNodeType(type);

const NESTED: readonly GraphNode[] = [
  ["groups", "input/json"],
  ["items", "enumerate/json", { path: "$.items" }],
  ["name", "utility/json_path", { path: "$.name", on_missing: "absent" }],
  ["all", "fake/titled", { collapse: "innermost" }],
  ["out", "output/text"],
];
const LINKS = [
  "groups.item > items.json",
  "groups.item > name.json",
  "items.item > all.value",
  "all.text > out.text",
];

/** The common result of both for a graph. */
async function outcomeOf(
  links: readonly string[],
  groups: JsonValue,
  {
    isRequired = true,
    nodes = NESTED,
  }: { isRequired?: boolean; nodes?: readonly GraphNode[] } = {},
) {
  const request = {
    definition: defineGraph(nodes, links),
    findNodeType: find(isRequired),
    inputs: new Map([["groups", groups]]),
  };
  const expected = plainOutcome(await interpret(request));
  expect(plainOutcome(await runEngine(request))).toEqual(expected);
  for (const seed of [1, 2, 3]) {
    expect(plainOutcome(await runEngine({ ...request, seed }))).toEqual(expected);
  }
  return expected;
}

describe("an aggregator's input that is read once", () => {
  const links = [...LINKS, "name.value > all.title"];

  it("[E29] gives each result its own value, whatever the number of elements", async () => {
    const { status, outputs } = await outcomeOf(links, [
      { name: "a", items: [1, 2] },
      { name: "b", items: [] },
      { name: "c", items: [3] },
    ]);
    expect([status, outputs["out"]]).toEqual([
      "completed",
      [
        "present",
        [
          [[0], "ok", "a: 1,2"],
          [[1], "ok", "b: "],
          [[2], "ok", "c: 3"],
        ],
      ],
    ]);
  });

  it("[E29] [E10] makes the result absent if it is absent and required, and is otherwise omitted", async () => {
    const groups = [{ items: [1] }, { name: "b", items: [2] }];
    const items = async (isRequired: boolean) =>
      (await outcomeOf(links, groups, { isRequired })).outputs["out"]?.[1];
    expect(await items(true)).toEqual([
      [[0], "absent"],
      [[1], "ok", "b: 2"],
    ]);
    expect(await items(false)).toEqual([
      [[0], "ok", "-: 1"],
      [[1], "ok", "b: 2"],
    ]);
  });

  it("[E29] blocks the result if it failed, although its elements are ok", async () => {
    const nodes: readonly GraphNode[] = NESTED.map((node) =>
      node[0] === "name" ? ["name", "utility/calculate", { expression: "1 / group.n" }] : node,
    );
    const divided = LINKS.map((each) => each.replace("name.json", "name.group"));
    const { cells } = await outcomeOf(
      [...divided, "name.result > all.title"],
      [
        { n: 0, items: [1] },
        { n: 4, items: [2] },
      ],
      { nodes },
    );
    expect(cells["all"]).toEqual([
      [[0], "blocked"],
      [[1], "ok"],
    ]);
  });

  it("[E29] is checked against its port once: a wrong type fails the result", async () => {
    const { cells } = await outcomeOf(links, [
      { name: { no: "text" }, items: [1] },
      { name: 7, items: [2] },
    ]);
    expect(cells["all"]).toEqual([
      [[0], "failed", "TYPE_MISMATCH"],
      [[1], "ok"],
    ]);
  });

  it("[E13] skips failed elements with the same warning where the result fails afterwards", async () => {
    const groups = [
      { name: "a", items: [2, 0, 1] },
      { name: "b", items: [0, 0] },
      { name: "c", items: [0, 12] },
    ];
    const divided = [
      ...LINKS.filter((link) => !link.startsWith("items.item")),
      "items.item > divide.x",
      "divide.result > all.value",
      "name.value > all.title",
    ];
    const made = (onFailedItems: string) =>
      outcomeOf(divided, groups, {
        nodes: [
          ...NESTED.map((node): GraphNode =>
            node[0] === "all"
              ? ["all", "fake/titled", { collapse: "innermost", on_failed_items: onFailedItems }]
              : node,
          ),
          ["divide", "utility/calculate", { expression: "12 / x" }],
        ],
      });
    const skipping = await made("skip");
    expect(skipping.cells["all"]).toEqual([
      [[0], "failed", "TYPE_MISMATCH"],
      [[1], "blocked"],
      [[2], "ok"],
    ]);
    expect(skipping.warnings).toEqual([{ node_id: "all", skipped: 2, of: 5 }]);
    const failing = await made("fail");
    expect(failing.cells["all"]).toEqual([
      [[0], "failed", "ITEMS_FAILED"],
      [[1], "blocked"],
      [[2], "failed", "ITEMS_FAILED"],
    ]);
    expect(failing.warnings).toEqual([]);
  });

  it("[E29] must not vary over the axes that the node closes", () => {
    const issuesOf = (collapse: string, from: string) => {
      const nodes = NESTED.map((node): GraphNode =>
        node[0] === "all" ? ["all", "fake/titled", { collapse }] : node,
      );
      const definition = defineGraph(nodes, [...LINKS, `${from} > all.title`]);
      return compile(definition, find()).issues.map(({ code, path, node_id }) => [
        code,
        path,
        node_id,
      ]);
    };
    const varies = ["AGGREGATE_INPUT_VARIES", "connections[4]", "all"];
    expect(issuesOf("innermost", "name.value")).toEqual([]);
    expect(issuesOf("innermost", "items.item")).toEqual([varies]);
    expect(issuesOf("all", "name.value")).toEqual([varies]);
    expect(issuesOf("all", "items.item")).toEqual([varies, varies]);
  });
});

import { describe, expect, test } from "vitest";
import * as z from "zod";
import { Definition } from "../../../src/contracts/workflows/definition.ts";
import type { JsonValue } from "../../../src/lib/json/exact-json.ts";
import { NodeError } from "../../../src/lib/errors/node-error.ts";
import type { NodeErrorCode } from "../../../src/lib/errors/node-error-guides.ts";
import { defineNode } from "../../../src/nodes/define-node.ts";
import type { NodeType } from "../../../src/nodes/define-roles.ts";
import { findNodeType } from "../../../src/nodes/registry.ts";
import { ENGINE_CASES } from "../../simulation/cases.ts";
import { fakeTaskNode, findFakeNode, runFakeTask } from "../../simulation/fake-task-node.ts";
import { interpret } from "../../simulation/reference-interpreter.ts";
import type { Interpretation } from "../../simulation/reference-result.ts";

const listNode = defineNode({
  ...fakeTaskNode,
  type: "fake/list",
  inputs: [
    { name: "many", type: "any", list: {}, required: false },
    { name: "needed", type: "any", list: { compact: true } },
  ],
  outputs: [{ name: "out", type: "json" }],
  params: z.strictObject({}),
  role: "transform",
  placement: "inline",
  run: (_ctx, inputs) =>
    new Map([
      [
        "out",
        [inputs.has("many"), inputs.list("many") as JsonValue, inputs.list("needed") as JsonValue],
      ],
    ]),
});

const find = (type: string): NodeType | undefined =>
  type === listNode.type ? listNode : (findFakeNode(type) ?? findNodeType(type));

function plain(result: Interpretation) {
  return {
    status: result.status,
    error: result.error_code === null ? null : [result.error_code, result.error_node],
    outputs: Object.fromEntries(
      [...result.outputs].map(([id, { state, items }]) => [
        id,
        [
          state,
          items.map((item) => [item.indices, item.state, ...("value" in item ? [item.value] : [])]),
        ],
      ]),
    ),
    cells: Object.fromEntries(
      [...result.cells].map(([id, cells]) => [
        id,
        cells.map((cell) => [
          cell.indices,
          cell.state,
          ...(cell.code === undefined ? [] : [cell.code]),
        ]),
      ]),
    ),
    warnings: result.warnings.map(({ code: _code, ...rest }) => rest),
  };
}

describe("every sentence of docs/contract/iteration.md#cells", () => {
  test.for(ENGINE_CASES.map((each) => [each.name, each] as const))("%s", async ([, each]) => {
    const { cells: expectedCells = {}, warnings = [], ...expected } = each.expected;
    const result = plain(
      await interpret({
        definition: each.definition,
        findNodeType: find,
        inputs: new Map(Object.entries(each.inputs)),
        ...(each.iterationLimit === undefined ? {} : { iterationLimit: each.iterationLimit }),
      }),
    );
    const { cells, ...rest } = result;
    expect(rest).toEqual({ ...expected, warnings });
    expect(cells).toMatchObject(expectedCells);
  });

  test("the names of cases are unique", () => {
    const names = ENGINE_CASES.map((each) => each.name);
    expect(new Set(names).size).toBe(names.length);
  });
});

type Link = readonly [from: string, port: string, to: string, port: string];

function define(
  nodes: readonly { id: string; type: string; parameters?: object }[],
  links: readonly Link[],
) {
  return Definition.parse({
    nodes,
    connections: links.map(([from, out, to, into]) => ({
      from: { node: from, port: out },
      to: { node: to, port: into },
    })),
  });
}

describe("list ports", () => {
  const definition = define(
    [
      { id: "a", type: "input/number", parameters: { required: false } },
      { id: "b", type: "input/number", parameters: { required: false } },
      { id: "c", type: "input/number", parameters: { required: false } },
      { id: "list", type: "fake/list" },
      { id: "out", type: "output/json" },
    ],
    [
      ["c", "number", "list", "needed"],
      ["a", "number", "list", "needed"],
      ["b", "number", "list", "many"],
      ["list", "out", "out", "json"],
    ],
  );
  const run = async (inputs: Record<string, JsonValue>) =>
    plain(
      await interpret({ definition, findNodeType: find, inputs: new Map(Object.entries(inputs)) }),
    ).outputs["out"];

  test("have the present values, in connection order", async () => {
    expect(await run({ a: 1, b: 2, c: 3 })).toEqual(["present", [[[], "ok", [true, [2], [3, 1]]]]]);
  });

  test("drop absent values, and are absent if all of theirs are", async () => {
    expect(await run({ a: 1 })).toEqual(["present", [[[], "ok", [false, [], [1]]]]]);
  });

  test("make the node absent if they are required and absent", async () => {
    expect(await run({ b: 2 })).toEqual(["absent", [[[], "absent"]]]);
  });
});

describe("tasks", () => {
  const definition = define(
    [
      { id: "n", type: "input/number" },
      { id: "task", type: "fake/task", parameters: { refuse_percent: 0 } },
      { id: "out", type: "output/json" },
    ],
    [
      ["n", "number", "task", "value"],
      ["task", "out", "out", "json"],
    ],
  );
  const run = async (failures: number, retryable: boolean) => {
    let attempts = 0;
    const result = await interpret({
      definition,
      findNodeType: find,
      inputs: new Map([["n", 7]]),
      runTask: (_spec, _inputs, _params, attempt) => {
        attempts += 1;
        expect(attempt).toBe(attempts);
        if (attempts <= failures) {
          throw new NodeError("SHAKY" as NodeErrorCode, "no answer", { retryable });
        }
        return new Map([["out", 8]]);
      },
    });
    return [result.status, result.error_code, attempts];
  };

  test("are retried three times if the fault is transient", async () => {
    expect(await run(3, true)).toEqual(["completed", null, 4]);
    expect(await run(4, true)).toEqual(["failed", "SHAKY", 4]);
  });

  test("are not retried if it is not", async () => {
    expect(await run(1, false)).toEqual(["failed", "SHAKY", 1]);
  });

  test("of the test kind have every outcome, the same one every time", async () => {
    const presence = async (n: number): Promise<string> => {
      const result = await interpret({
        definition,
        findNodeType: find,
        inputs: new Map([["n", n]]),
        runTask: (_spec, inputs, _params, attempt) =>
          runFakeTask(inputs, { seed: 1, refuse_percent: 30, fault_percent: 50 }, attempt),
      });
      return result.error_code ?? result.status;
    };
    const numbers = Array.from({ length: 60 }, (_, n) => n);
    const fates = await Promise.all(numbers.map(presence));
    expect(new Set(fates)).toEqual(new Set(["completed", "FAKE_REFUSED", "FAKE_UNAVAILABLE"]));
    expect(await Promise.all(numbers.map(presence))).toEqual(fates);
  });
});

describe("an aggregate's own type check", () => {
  const definition = define(
    [
      { id: "rows", type: "input/json" },
      { id: "lines", type: "aggregate/text", parameters: { separator: "," } },
      { id: "out", type: "output/text" },
    ],
    [
      ["rows", "item", "lines", "text"],
      ["lines", "text", "out", "text"],
    ],
  );
  const run = async (rows: JsonValue) =>
    plain(await interpret({ definition, findNodeType: find, inputs: new Map([["rows", rows]]) }));

  test("counts an element of the wrong type as failed", async () => {
    const { status, outputs, warnings } = await run(["a", {}, "b"]);
    expect([status, outputs["out"]]).toEqual(["completed", ["present", [[[], "ok", "a,b"]]]]);
    expect(warnings).toEqual([{ node_id: "lines", skipped: 1, of: 3 }]);
  });

  test("fails it if no element has the right type", async () => {
    const { status, error } = await run([{}, []]);
    expect([status, error]).toEqual(["failed", ["TYPE_MISMATCH", "lines"]]);
  });
});

test("a rejected submit is not a run", async () => {
  const definition = define([{ id: "n", type: "input/number" }], []);
  const run = (inputs: Record<string, JsonValue>) =>
    interpret({ definition, findNodeType: find, inputs: new Map(Object.entries(inputs)) });
  await expect(run({})).rejects.toThrow('input "n" is required');
  await expect(run({ n: "text" })).rejects.toThrow('input "n"');
});

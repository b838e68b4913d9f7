import { describe, expect, it } from "vitest";
import type { JsonValue } from "../../../src/lib/json/exact-json.ts";
import { findNodeType } from "../../../src/nodes/registry.ts";
import { ENGINE_CASES } from "../../simulation/cases.ts";
import { findFakeNode } from "../../simulation/fake-task-node.ts";
import { plainOutcome } from "../../simulation/plain-outcome.ts";
import { runEngine } from "../../simulation/run-engine.ts";

const find = (type: string) => findFakeNode(type) ?? findNodeType(type);

describe("the engine matches docs/contract/iteration.md#cells", () => {
  it.each(ENGINE_CASES.map((each) => [each.name, each] as const))("%s", async (_name, each) => {
    const inputs = new Map<string, JsonValue>(Object.entries(each.inputs));
    const { definition, iterationLimit, expected } = each;
    const request = { definition, findNodeType: find, inputs };
    const outcome = plainOutcome(
      await runEngine(iterationLimit === undefined ? request : { ...request, iterationLimit }),
    );
    expect({ status: outcome.status, error: outcome.error, outputs: outcome.outputs }).toEqual({
      status: expected.status,
      error: expected.error,
      outputs: expected.outputs,
    });
    for (const [node, cells] of Object.entries(expected.cells ?? {})) {
      expect([node, outcome.cells[node]]).toEqual([node, cells]);
    }
    if (expected.warnings !== undefined) {
      expect(outcome.warnings).toEqual(expected.warnings);
    }
  });
});

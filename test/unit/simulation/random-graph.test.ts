import { NOTHING_STORED } from "../../../src/contracts/references.ts";
import { describe, expect, test } from "vitest";
import type { NodeType } from "../../../src/nodes/define-roles.ts";
import type { ConnectedPort } from "../../../src/nodes/define-ports.ts";
import { findNodeType } from "../../../src/nodes/registry.ts";
import { findFakeNode } from "../../simulation/fake-task-node.ts";
import { canFeed, randomGraph } from "../../simulation/random-graph.ts";
import { interpret } from "../../simulation/reference-interpreter.ts";
import { readReferenceNodes, type ReferenceNode } from "../../simulation/reference-nodes.ts";
import { computeReferenceScopes } from "../../simulation/reference-scopes.ts";

const SEEDS = Array.from({ length: 400 }, (_, seed) => seed);

const find = (type: string): NodeType | undefined => findFakeNode(type) ?? findNodeType(type);

/**
 * The possible source types of an input port, by the rule that a `typeOf` output has its inputs'
 * common type.
 */
function typesInto(
  nodes: ReadonlyMap<string, ReferenceNode>,
  node: ReferenceNode,
): ConnectedPort[] {
  return [...node.feeds].flatMap(([port, sources]) =>
    sources.map((source) => {
      const from = nodes.get(source.node)!;
      const output = from.outputs.find((each) => each.name === source.port)!;
      const into = typesInto(nodes, from).filter((each) => each.port === output.typeOf);
      const common = into.every((each) => each.type === into[0]!.type) ? into[0]?.type : "any";
      return { port, type: output.typeOf === undefined ? output.type : (common ?? "any") };
    }),
  );
}

describe("a random graph", () => {
  test("is a valid definition", () => {
    for (const seed of SEEDS) {
      const { definition, inputs } = randomGraph(seed, find);
      const nodes = readReferenceNodes(definition, find);
      const scopes = computeReferenceScopes(nodes);
      expect(nodes.size).toBeGreaterThanOrEqual(2);
      expect(nodes.size).toBeLessThanOrEqual(25);
      expect([...nodes.values()].some((node) => node.spec.role === "output")).toBe(true);
      expect([...inputs.keys()].every((id) => nodes.get(id)?.spec.role === "input")).toBe(true);
      for (const node of nodes.values()) {
        const connected = typesInto(nodes, node);
        const where = `seed ${seed}, node ${node.id}`;
        for (const port of node.inputs) {
          const types = connected.filter((each) => each.port === port.name);
          expect(port.required === false || types.length > 0, `${where} port ${port.name}`).toBe(
            true,
          );
          expect(
            types.every(({ type }) => canFeed(type, port)),
            `${where} port ${port.name}`,
          ).toBe(true);
        }
        expect(node.spec.check?.(node.params, connected, NOTHING_STORED) ?? [], where).toEqual([]);
        const joined = [...node.feeds.values()]
          .flat()
          .map((source) => String(scopes.given.get(source.node)));
        expect(node.spec.role !== "merge" || new Set(joined).size === 1, where).toBe(true);
      }
    }
  });

  test("is the same for the same seed and different for another", () => {
    expect(randomGraph(5, find)).toEqual(randomGraph(5, find));
    expect(randomGraph(5, find)).not.toEqual(randomGraph(6, find));
  });

  test("contains, over many seeds, every case of the rules", async () => {
    const seen = new Set<string>();
    for (const seed of SEEDS) {
      const { definition, inputs } = randomGraph(seed, find);
      const result = await interpret({ definition, findNodeType: find, inputs });
      const nodes = readReferenceNodes(definition, find);
      const scopes = computeReferenceScopes(nodes);
      seen.add(`run ${result.status}`);
      seen.add(result.warnings.length > 0 ? "warned" : "quiet");
      for (const [id, { spec, params, opensAxis }] of nodes) {
        const joined = scopes.joined.get(id)!;
        seen.add(`type ${spec.type}`);
        for (const cell of result.cells.get(id)!) {
          seen.add(`${spec.role} ${cell.state}`);
          seen.add(`code ${cell.code}`);
        }
        if (spec.role === "aggregator") {
          seen.add(`${spec.collapse(params)} of ${joined.length}`);
        } else {
          seen.add(opensAxis ? `opened in ${joined.length}` : `runs over ${joined.length}`);
        }
      }
      for (const { state, items } of result.outputs.values()) {
        seen.add(`output ${state}${items.length === 0 ? " empty" : ""}`);
      }
    }
    const missing = EVERYTHING.filter((each) => !seen.has(each));
    expect(missing).toEqual([]);
  });
});

const EVERYTHING = [
  ...["completed", "partial_success", "failed"].map((status) => `run ${status}`),
  "warned",
  "quiet",
  ...["present", "missing", "absent", "present empty", "absent empty"].map(
    (state) => `output ${state}`,
  ),
  ...["transform", "output", "enumerator", "aggregator"].flatMap((role) =>
    ["ok", "failed", "blocked", "absent"].map((state) => `${role} ${state}`),
  ),
  "merge ok",
  "merge blocked",
  "merge absent",
  "input ok",
  "input absent",
  "all of 0",
  "all of 1",
  "all of 2",
  "innermost of 1",
  "innermost of 2",
  "innermost of 3",
  "opened in 0",
  "opened in 1",
  "opened in 2",
  "runs over 0",
  "runs over 2",
  "runs over 3",
  ...[
    "CALC_DIVISION_BY_ZERO",
    "CALC_MISSING_FIELD",
    "ENUMERATE_NOT_A_LIST",
    "TYPE_MISMATCH",
    "FAKE_REFUSED",
    "FAKE_UNAVAILABLE",
  ].map((code) => `code ${code}`),
  ...["text", "number", "boolean", "json", "json_value"].map((name) => `type input/${name}`),
  ...["enumerate/json", "enumerate/range", "aggregate/json", "aggregate/text"].map(
    (type) => `type ${type}`,
  ),
  ...["calculate", "condition", "switch", "merge", "json_path"].map(
    (name) => `type utility/${name}`,
  ),
  ...["text/template", "fake/task", "output/text", "output/json"].map((type) => `type ${type}`),
];

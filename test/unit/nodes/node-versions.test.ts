/**
 * A run that continues after a deploy identifies a node by its version, so a changed node needs a
 * new one (`version` in src/nodes/define-roles.ts). The contracts of all nodes are stored next to
 * the tests: `UPDATE_NODE_CONTRACTS=1 npx vitest run test/unit/nodes/node-versions.test.ts` writes
 * them again, when every changed node has its new version.
 */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { NODE_TYPES } from "../../../src/nodes/registry.ts";
import { contractOf, type NodeContract, versionFault } from "../../support/node/node-contracts.ts";

const FILE = join(import.meta.dirname, "../../golden/node-contracts.json");
const now = Object.fromEntries(NODE_TYPES.map((type) => [type.type, contractOf(type)]));

describe("the version of a node", () => {
  it("is raised with every change of its ports, parameters, placement and cost", async () => {
    const kept = JSON.parse(await readFile(FILE, "utf8")) as Record<string, NodeContract>;
    const faults = Object.entries(now).flatMap(([type, contract]) => {
      const before = kept[type];
      const fault = before === undefined ? undefined : versionFault(before, contract);
      return fault === undefined ? [] : [`${type} ${fault}`];
    });
    expect(faults).toEqual([]);
    if (process.env["UPDATE_NODE_CONTRACTS"] === "1") {
      await writeFile(FILE, `${JSON.stringify(now, null, 1)}\n`);
      return;
    }
    expect(now, "the stored contracts are outdated: write them again").toEqual(kept);
  });

  it("has two numbers", () => {
    for (const { type, version } of NODE_TYPES) {
      expect(version, type).toMatch(/^[1-9]\d*\.\d+$/);
    }
  });

  const code = NODE_TYPES.find(({ type }) => type === "image/code")!;
  const before = { ...contractOf(code), version: "1.0" };

  it.each<[what: string, change: Partial<NodeContract>]>([
    ["another cost", { cost: 21 }],
    ["a parameter more", { params: { type: "object", properties: { more: {} } } }],
    ["another placement", { placement: "inline" }],
    ["a port less", { outputs: {} }],
  ])("is reported as missing for %s under the same version", (_what, change) => {
    expect(versionFault(before, { ...before, ...change })).toContain("still has version 1.0");
  });

  it.each<[what: string, change: Partial<NodeContract>]>([
    ["another placement", { placement: "inline" }],
    ["another role", { role: "merge" }],
    ["a port less", { outputs: {} }],
    ["a port of another type", { inputs: { ...before.inputs, text: { type: "number" } } }],
  ])("is raised in its first number for %s", (_what, change) => {
    const changed = { ...before, ...change };
    expect(versionFault(before, { ...changed, version: "1.1" })).toContain("first number");
    expect(versionFault(before, { ...changed, version: "2.0" })).toBeUndefined();
  });

  it("is raised in its second for a cost or a parameter", () => {
    expect(versionFault(before, { ...before, cost: 21, version: "1.1" })).toBeUndefined();
  });
});

import { NO_REFERENCES } from "../../../../src/engine/compile/references.ts";
import { NOTHING_STORED } from "../../../../src/contracts/references.ts";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { nodeCost, pricedPlan } from "../../../../src/engine/plan/node-cost.ts";
import { boundedCharge, checkCharge } from "../../../../src/engine/step/charge.ts";
import { defineNode } from "../../../../src/nodes/define-node.ts";
import type { NodeType } from "../../../../src/nodes/define-roles.ts";
import { planOf } from "../plan-of.ts";

const NODE = { costMilliCredits: 100, costUnit: "second" } as const;
const seconds = (quantity: number) => ({ unit: "second", quantity }) as const;

describe("the charge of an element", () => {
  it("[E25] is the one in its report, in the node's unit", () => {
    const claim = { milli_credits: 40, usage: seconds(2.5) };
    const charge = { milliCredits: 40, quantity: 2.5 };
    expect(checkCharge(NODE, "ok", claim)).toEqual({ charge, problem: null });
    expect(checkCharge(NODE, "failed", claim)).toEqual({ charge, problem: null });
  });

  it("[E25] is never above its reservation", () => {
    expect(checkCharge(NODE, "ok", { milli_credits: 101, usage: seconds(9) })).toEqual({
      charge: { milliCredits: 100, quantity: 9 },
      problem: "capped",
    });
    const free = { costMilliCredits: 0, costUnit: null };
    expect(checkCharge(free, "ok", { milli_credits: 1, usage: null })).toEqual({
      charge: undefined,
      problem: "capped",
    });
    const nothing = { milliCredits: 0, quantity: null };
    expect(checkCharge(NODE, "ok", { milli_credits: 0, usage: null }).charge).toEqual(nothing);
  });

  it("[E25] is nothing if the claim is negative or not a whole number", () => {
    const claims = [-1, 0.5, Number.NaN, Infinity, 2 ** 53].map((milli_credits) => ({
      milli_credits,
      usage: null,
    }));
    const usages = [-1, Number.NaN, Infinity].map((quantity) => ({
      milli_credits: 1,
      usage: seconds(quantity),
    }));
    for (const claim of [...claims, ...usages]) {
      expect(checkCharge(NODE, "ok", claim)).toEqual({ charge: undefined, problem: "refused" });
    }
  });

  it("[E25] is the whole reservation if an ok element claims nothing, and nothing for any other element", () => {
    const all = { milliCredits: 100, quantity: null };
    expect(checkCharge(NODE, "ok", undefined)).toEqual({ charge: all, problem: null });
    for (const status of ["failed", "blocked", "absent"] as const) {
      expect(checkCharge(NODE, status, undefined)).toEqual({ charge: undefined, problem: null });
    }
  });

  it("[E25] is kept without a usage in another unit", () => {
    const claim = { milli_credits: 7, usage: { unit: "page", quantity: 3 } } as const;
    const charge = { milliCredits: 7, quantity: null };
    expect(checkCharge(NODE, "ok", claim)).toEqual({ charge, problem: "unit" });
  });

  it("[E25] is calculated from its inputs within the reservation", () => {
    const node = { id: "n", costMilliCredits: 10 };
    const charged = (milliCredits: number) => boundedCharge(node, { milliCredits, quantity: null });
    expect([charged(3), charged(11)].map(({ milliCredits }) => milliCredits)).toEqual([3, 10]);
    expect(() => charged(-1)).toThrow(RangeError);
  });
});

const priced = defineNode({
  type: "fake/priced",
  version: "1.0.0",
  name: "Priced",
  description: "",
  whenToUse: "",
  status: "stable",
  icon: "",
  color: "",
  inputs: [{ name: "image", type: "any", required: false }],
  outputs: [{ name: "out", type: "any" }],
  params: z.strictObject({ variants: z.int().default(1) }),
  role: "transform",
  placement: "task",
  cost: {
    unit: "image",
    milliCredits: ({ variants }, connected) => variants * (connected.length > 0 ? 50 : 30),
    isCeiling: ({ variants }) => variants > 1,
  },
  run: () => new Map(),
}) as NodeType;

describe("the cost of a node", () => {
  it("[E25] is calculated from its parameters and connections", () => {
    const cost = (variants: number, connected: Parameters<typeof nodeCost>[2] = []) =>
      nodeCost(priced, { variants }, connected, NOTHING_STORED);
    expect(cost(1)).toEqual({ costMilliCredits: 30, costUnit: "image", isCostCeiling: false });
    expect(cost(3, [{ port: "image", type: "image" }])).toEqual({
      costMilliCredits: 150,
      costUnit: "image",
      isCostCeiling: true,
    });
    expect(() => cost(-1)).toThrow(RangeError);
    expect(() => cost(0.5 / 30)).toThrow(RangeError);
  });

  it("[E25] is that of the parameters that a submit sets", () => {
    const plan = planOf([["n", "input/number"]], []);
    const nodes = [{ ...plan.nodes[0]!, id: "priced", type: priced, params: { variants: 1 } }];
    const set = (node_id: string) => [{ node_id, parameter: "variants", value_json: "4" }];
    const costs = (node_id: string) =>
      pricedPlan({ ...plan, nodes }, set(node_id), NO_REFERENCES).nodes.map(
        (node) => node.costMilliCredits,
      );
    expect([costs("priced"), costs("other")]).toEqual([[120], [nodes[0]!.costMilliCredits]]);
  });
});

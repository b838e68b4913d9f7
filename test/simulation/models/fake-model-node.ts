/** A node that asks a model, for simulations: one call that a request answers, or up to three jobs. */
import * as z from "zod";
import type { JsonValue } from "../../../src/lib/json/exact-json.ts";
import { beginAll } from "../../../src/nodes/define-models.ts";
import { defineNode } from "../../../src/nodes/define-node.ts";

/** The price of one call at most, in milli-credits. */
export const PRICE_MAX = 100;

/** What a provider is asked for: jobs, requests that it recognizes when they are repeated, and requests. */
export const MODEL_KINDS = ["jobs", "keys", "plain"] as const;
export type ModelKind = (typeof MODEL_KINDS)[number];

/** What one call has made, and its price in milli-credits. */
export interface MadeCall {
  /** Its job, or the call itself. */
  readonly of: string;
  readonly price: number;
}

/** The tools that the simulation gives this node as its models. */
export interface SimulatedModelTools {
  begin(name: string): Promise<void>;
  fetch(name: string): Promise<MadeCall>;
  request(kind: ModelKind, name: string): Promise<MadeCall>;
}

const params = z.strictObject({
  kind: z.enum(MODEL_KINDS).default("jobs"),
  calls: z.int().min(1).max(3).default(1),
});

export const fakeModelNode = defineNode({
  type: "fake/model",
  version: "1.0.0",
  name: "Fake model",
  description: "Asks a model of a provider that lies.",
  whenToUse: "In simulations only.",
  status: "stable",
  icon: "flask",
  color: "#888888",
  inputs: [{ name: "value", type: "any" }],
  outputs: [{ name: "out", type: "json" }],
  params,
  cost: {
    unit: "request",
    milliCredits: ({ calls }: z.output<typeof params>) => PRICE_MAX * calls,
    isCeiling: true,
  },
  role: "transform",
  placement: "task",
  needs: ["models"],
  // Its waits are long, and clocks jump by days.
  timeLimitMs: 31_536_000_000,
  run: async (ctx, _inputs, { kind, calls }) => {
    // The simulation's own tools, which have the calls of no real capability.
    const models = ctx.models as unknown as SimulatedModelTools;
    const names = ["a", "b", "c"].slice(0, calls);
    const made: MadeCall[] = [];
    if (kind === "jobs") {
      await beginAll(
        ctx,
        names.map((name) => () => models.begin(name)),
      );
    }
    for (const name of names) {
      // oxlint-disable-next-line no-await-in-loop -- one output after the other
      made.push(await (kind === "jobs" ? models.fetch(name) : models.request(kind, name)));
    }
    ctx.task.charge({
      milliCredits: made.reduce((sum, { price }) => sum + price, 0),
      quantity: calls,
    });
    return new Map<string, JsonValue>([["out", made as unknown as JsonValue]]);
  },
});

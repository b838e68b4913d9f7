import * as z from "zod";
import { stringifyJson, type JsonValue } from "../../src/lib/json/exact-json.ts";
import { NodeError } from "../../src/lib/errors/node-error.ts";
import type { NodeErrorCode } from "../../src/lib/errors/node-error-guides.ts";
import { defineNode } from "../../src/nodes/define-node.ts";
import { NodeInputs, type NodeOutputs, type RunValue } from "../../src/nodes/define-ports.ts";
import type { ReadElements } from "../support/executor/read-elements.ts";

const params = z.strictObject({
  seed: z.int().default(0),
  /** Of a hundred different inputs, the number that is refused permanently. */
  refuse_percent: z.int().min(0).max(100).default(15),
  /** Of a hundred different inputs, the number that first has one to five transient faults. */
  fault_percent: z.int().min(0).max(100).default(15),
});

/**
 * One attempt (from 1) of a task whose result follows from its inputs and seed alone: it returns its value, or always
 * throws `FAKE_REFUSED`, or throws `FAKE_UNAVAILABLE` (retryable) in its first attempts. Some need more attempts than a
 * task gets.
 */
export function runFakeTask(
  inputs: NodeInputs,
  { seed, refuse_percent, fault_percent }: z.output<typeof params>,
  attempt: number,
  isHealed = false,
): NodeOutputs {
  const value = inputs.get("value") as JsonValue;
  const note = inputs.has("note") ? inputs.text("note") : "";
  const seen = stringifyJson([value, note]);
  const fate = hash(`${seed}:${seen}`);
  // What was refused before may work later, and never the other way around.
  if (fate % 100 < refuse_percent && !(isHealed && fate % 3 > 0)) {
    throw new NodeError("FAKE_REFUSED" as NodeErrorCode, `the seed refuses ${seen}`);
  }
  const faults =
    Math.floor(fate / 100) % 100 < fault_percent ? 1 + (Math.floor(fate / 10_000) % 5) : 0;
  if (attempt <= faults) {
    throw new NodeError("FAKE_UNAVAILABLE" as NodeErrorCode, `attempt ${attempt} on ${seen}`, {
      retryable: true,
    });
  }
  return new Map<string, JsonValue>([
    ["out", value],
    ["text", `task ${seen}`],
  ]);
}

/** How often a call waits before it does its work; its token counts the waits. */
const WAITS_MAX = 2;

/** The token of the call's next wait; null if it has waited often enough. */
export function nextFakeToken(
  inputs: NodeInputs,
  { seed }: z.output<typeof params>,
  token: string | null,
): string | null {
  const fate = fateOf(inputs, seed, "waits") % 10;
  const waits = fate < 7 ? 0 : Math.min(fate - 6, WAITS_MAX);
  const done = token === null ? 0 : Number(token.slice("waited ".length));
  return done < waits ? `waited ${done + 1}` : null;
}

/**
 * How often executors give a call back before one runs it: usually never, sometimes forever. Evaluated before
 * everything else.
 */
export function fakeGiveBacks(inputs: NodeInputs, { seed }: z.output<typeof params>): number {
  const fate = fateOf(inputs, seed, "gives back") % 100;
  return fate < 85 ? 0 : fate < 99 ? 1 + (fate % 3) : Infinity;
}

/**
 * The charge in the report of a call with this end, in milli-credits: often below the node's cost, sometimes above,
 * usually nothing after a failure. Undefined if the report has none.
 */
export function fakeClaim(
  inputs: NodeInputs,
  { seed }: z.output<typeof params>,
  isOk: boolean,
): number | undefined {
  const fate = fateOf(inputs, seed, isOk ? "ok" : "failed");
  if (!isOk) {
    return fate % 4 === 0 ? fate % 50 : undefined;
  }
  return fate % 3 === 0 ? undefined : fate % 150;
}

function fateOf(inputs: NodeInputs, seed: number, what: string): number {
  const note = inputs.has("note") ? inputs.text("note") : "";
  return hash(`${what}:${seed}:${stringifyJson([inputs.get("value") as JsonValue, note])}`);
}

/** Represents all nodes that use the queue. A world that counts attempts calls `runFakeTask`. */
export const fakeTaskNode = defineNode({
  type: "fake/task",
  version: "1.0.0",
  name: "Fake task",
  description: "Gives its value back, unless the seed has it fail.",
  whenToUse: "In simulations only.",
  status: "stable",
  icon: "flask",
  color: "#888888",
  inputs: [
    { name: "value", type: "any" },
    { name: "note", type: "text", required: false, accepts: ["number", "boolean"] },
  ],
  outputs: [
    { name: "out", type: "any" },
    { name: "text", type: "text" },
  ],
  params,
  cost: { unit: "request", milliCredits: 100, isCeiling: true },
  role: "transform",
  placement: "task",
  // Its waits are long, and clocks jump by days.
  timeLimitMs: 31_536_000_000,
  run: (_ctx, inputs, parameters) => runFakeTask(inputs, parameters, 1),
});

/** The values that determine the fate of an aggregator's task, in the form of the inputs of a task that reads no elements. */
export function gatheredInputs({ elements, failed }: ReadElements, once: NodeInputs): NodeInputs {
  const part = (element: NodeInputs, port: string): JsonValue =>
    element.has(port) ? element.json(port) : null;
  const value = [
    failed,
    ...elements.map(({ inputs, place }) => [place, part(inputs, "item"), part(inputs, "other")]),
  ];
  return new NodeInputs(
    new Map<string, RunValue>([
      ["value", value],
      ...(once.has("title") ? [["note", once.text("title")] as const] : []),
    ]),
  );
}

/** Represents every aggregator that uses the queue. */
export const fakeGatherNode = defineNode({
  type: "fake/gather",
  version: "1.0.0",
  name: "Fake gather",
  description: "Gives its elements back as a list, unless the seed has it fail.",
  whenToUse: "In simulations only.",
  status: "stable",
  icon: "flask",
  color: "#888888",
  inputs: [
    { name: "item", type: "any" },
    { name: "other", type: "text", required: false, accepts: ["number"], mayFail: true },
    {
      name: "title",
      type: "text",
      required: false,
      once: true,
      accepts: ["number", "boolean"],
    },
  ],
  outputs: [
    { name: "out", type: "json" },
    { name: "text", type: "text" },
  ],
  params: params.extend({
    collapse: z.enum(["all", "innermost"]).default("all"),
    on_failed_items: z.enum(["skip", "fail"]).default("skip"),
  }),
  cost: { unit: "request", milliCredits: 100, isCeiling: true },
  role: "aggregator",
  placement: "task",
  timeLimitMs: 31_536_000_000,
  collapse: ({ collapse }) => collapse,
  onFailedItems: ({ on_failed_items: onFailed }) => onFailed,
  combine: async (_ctx, elements, once, parameters) => {
    const read: ReadElements["elements"][number][] = [];
    for await (const inputs of elements) {
      read.push({ inputs, place: elements.place });
    }
    const { failed } = elements;
    return runFakeTask(gatheredInputs({ elements: read, failed }, once), parameters, 1);
  },
});

const FAKE_NODES = [fakeTaskNode, fakeGatherNode] as const;

/** The node that represents those that use the queue; undefined for any other type. */
export function findFakeNode(type: string): (typeof FAKE_NODES)[number] | undefined {
  return FAKE_NODES.find((node) => node.type === type);
}

/** FNV-1a, 32 bits, finished so that near texts differ in every digit. */
function hash(text: string): number {
  let mixed = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) {
    mixed = Math.imul(mixed ^ text.charCodeAt(at), 0x01000193);
  }
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x45d9f3b);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

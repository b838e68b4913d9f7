import { z } from "zod";
import { stringifyJson, type JsonValue } from "../../src/lib/exact-json.ts";
import { NodeError } from "../../src/lib/node-error.ts";
import type { NodeErrorCode } from "../../src/lib/node-error-guides.ts";
import { defineNode, type NodeInputs, type NodeOutputs } from "../../src/nodes/define-node.ts";

const params = z.strictObject({
  seed: z.int().default(0),
  /** Of a hundred different inputs, how many are refused for good. */
  refuse_percent: z.int().min(0).max(100).default(15),
  /** Of a hundred different inputs, how many meet one to five transient faults first. */
  fault_percent: z.int().min(0).max(100).default(15),
});

/**
 * One attempt (counted from 1) of a task whose fate follows from its inputs and seed alone: it gives
 * its value back, or throws `FAKE_REFUSED` always, or `FAKE_UNAVAILABLE` (retryable) for its first
 * attempts. Some need more attempts than a task gets.
 */
export function runFakeTask(
  inputs: NodeInputs,
  { seed, refuse_percent, fault_percent }: z.output<typeof params>,
  attempt: number,
): NodeOutputs {
  const value = inputs.get("value") as JsonValue;
  const note = inputs.has("note") ? inputs.text("note") : "";
  const seen = stringifyJson([value, note]);
  const fate = hash(`${seed}:${seen}`);
  if (fate % 100 < refuse_percent) {
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

/** Stands for everything that goes through the queue. A world that counts attempts calls `runFakeTask`. */
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
  costMilliCredits: 100,
  role: "transform",
  placement: "task",
  run: (_ctx, inputs, parameters) => runFakeTask(inputs, parameters, 1),
});

/** FNV-1a, 32 bits, finished so that near texts differ in every digit. */
function hash(text: string): number {
  let mixed = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) {
    mixed = Math.imul(mixed ^ text.charCodeAt(at), 0x01000193);
  }
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x45d9f3b);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

import { hash } from "node:crypto";
import type { PlanNode } from "../plan/plan.ts";
import { definitionText } from "./match-nodes.ts";

/** [E42] The part of a key that all elements of a node have in common, as 64 hexadecimal digits. */
export function definitionDigest(node: PlanNode): string {
  return hash("sha256", definitionText(node, node.type.version), "hex");
}

/**
 * [E42] Returns the key of an element's result: 64 hexadecimal digits that depend on its workspace, on its node's
 * definition and on what it received, as digests. `received` is of `ReceivedHash`, which the run itself computes.
 */
export function receivedKey(workspaceId: string, definition: string, received: string): string {
  return keyOf([2, workspaceId, definition, received]);
}

/** The same for what the run does not look up: `inputs` is the digest of its inputs [E28], which its executor computes. */
export function inputsKey(workspaceId: string, definition: string, inputs: string): string {
  return keyOf([1, workspaceId, definition, inputs]);
}

/** The number tells the two apart: no key is of both. */
function keyOf(of: readonly [1 | 2, string, string, string]): string {
  return hash("sha256", JSON.stringify(of), "hex");
}

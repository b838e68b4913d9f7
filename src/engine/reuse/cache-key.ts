import { hash } from "node:crypto";
import type { PlanNode } from "../plan/plan.ts";
import { definitionText } from "./match-nodes.ts";

/** [E42] The part of a key that all elements of a node have in common, as 64 hexadecimal digits. */
export function definitionDigest(node: PlanNode): string {
  return hash("sha256", definitionText(node, node.type.version), "hex");
}

/**
 * [E42] Returns the key of an element's result: 64 hexadecimal digits that depend on its workspace, on its node's
 * definition and on what it received, as digests.
 */
export function cacheKey(workspaceId: string, definition: string, received: string): string {
  return hash("sha256", JSON.stringify([1, workspaceId, definition, received]), "hex");
}

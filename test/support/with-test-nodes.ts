/** Adds node types to the service's own, for tests of what no node of the catalog does yet. */
import type { NodeType } from "../../src/nodes/define-roles.ts";
import { NODES_BY_TYPE } from "../../src/nodes/registry.ts";

/** Has them found until the returned function is called. */
export function addNodes(nodes: readonly NodeType[]): () => void {
  const byType = NODES_BY_TYPE as Map<string, NodeType>;
  for (const node of nodes) {
    byType.set(node.type, node);
  }
  return () => {
    for (const { type } of nodes) {
      byType.delete(type);
    }
  };
}

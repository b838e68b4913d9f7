import { searchFields } from "../../contracts/workflows/search-fields.ts";
import type { NodeType } from "../../nodes/define-roles.ts";
import { rankByWords } from "../../lib/rank-by-words.ts";

/**
 * Node types in which every word of the search (split on spaces, `/`, `-`, `_`, `.`) matches a
 * field, by relevance, then by type (docs/contract/catalog.md#node-types). Without a word: all, by
 * type.
 */
export function searchNodeTypes(nodes: readonly NodeType[], search: string): readonly NodeType[] {
  return nodes
    .map((node) => ({
      node,
      score: rankByWords(searchFields({ ...node, capabilities: node.capabilities ?? [] }), search),
    }))
    .filter(({ score }) => score !== undefined)
    .toSorted((a, b) => (b.score ?? 0) - (a.score ?? 0) || (a.node.type < b.node.type ? -1 : 1))
    .map(({ node }) => node);
}

import type { NodeType } from "../../nodes/define-roles.ts";
import { categoryOf } from "../../lib/node-category.ts";

/** Weights of matches by field, for the relevance of a node type. */
const WEIGHTS = { type: 8, name: 6, capabilities: 4, category: 3, whenToUse: 2, description: 1 };

/**
 * Node types in which every word of the search (split on spaces, `/`, `-`, `_`, `.`) matches a
 * field, by relevance, then by type (docs/contract/catalog.md#node-types). Without a word: all, by
 * type.
 */
export function searchNodeTypes(nodes: readonly NodeType[], search: string): readonly NodeType[] {
  const words = search
    .toLowerCase()
    .split(/[\s/\-_.]+/)
    .filter((word) => word !== "");
  return nodes
    .map((node) => ({ node, score: scoreOf(node, words) }))
    .filter(({ score }) => score !== undefined)
    .toSorted((a, b) => (b.score ?? 0) - (a.score ?? 0) || (a.node.type < b.node.type ? -1 : 1))
    .map(({ node }) => node);
}

/** The sum over the words; undefined if a word matches nothing. */
function scoreOf(node: NodeType, words: readonly string[]): number | undefined {
  const fields: readonly (readonly [string, number])[] = [
    [node.type, WEIGHTS.type],
    [node.name, WEIGHTS.name],
    [(node.capabilities ?? []).join(" "), WEIGHTS.capabilities],
    [categoryOf(node.type), WEIGHTS.category],
    [node.whenToUse, WEIGHTS.whenToUse],
    [node.description, WEIGHTS.description],
  ];
  let total = 0;
  for (const word of words) {
    let best = 0;
    for (const [field, weight] of fields) {
      best += weight * matchQuality(field.toLowerCase(), word);
    }
    if (best === 0) {
      return undefined;
    }
    total += best;
  }
  return total;
}

/** A whole word counts most, the beginning of a word more than its middle. */
function matchQuality(field: string, word: string): number {
  if (!field.includes(word)) {
    return 0;
  }
  const parts = field.split(/[^\p{L}\p{N}]+/u);
  return parts.includes(word) ? 4 : parts.some((part) => part.startsWith(word)) ? 2 : 1;
}

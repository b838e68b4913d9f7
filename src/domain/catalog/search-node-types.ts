import { searchFields } from "../../contracts/workflows/search-fields.ts";
import type { NodeTypeDetail } from "../../contracts/workflows/node-type-entry.ts";
import { rankByWords } from "../../lib/rank-by-words.ts";

/**
 * Node types in which every word of the search (split on spaces, `/`, `-`, `_`, `.`) matches a
 * field, by relevance, then by type (docs/contract/catalog.md#node-types). Without a word: all, by
 * type.
 */
export function searchNodeTypes(
  entries: readonly NodeTypeDetail[],
  search: string,
): readonly NodeTypeDetail[] {
  return entries
    .map((entry) => ({
      entry,
      score: rankByWords(searchFields({ ...entry, whenToUse: entry.when_to_use }), search),
    }))
    .filter(({ score }) => score !== undefined)
    .toSorted((a, b) => (b.score ?? 0) - (a.score ?? 0) || (a.entry.type < b.entry.type ? -1 : 1))
    .map(({ entry }) => entry);
}

import { categoryOf } from "../../lib/node-category.ts";
import type { SearchedField } from "../../lib/rank-by-words.ts";

/** What a search for node types reads of each (docs/contract/catalog.md#node-types). */
export interface SearchedType {
  readonly type: string;
  readonly name: string;
  readonly description: string;
  readonly whenToUse: string;
  readonly capabilities: readonly string[];
}

/** The searched fields of a node type with their weights, the same in the catalog and in the editor. */
export function searchFields(node: SearchedType): readonly SearchedField[] {
  return [
    { text: node.type, weight: 8 },
    { text: node.name, weight: 6 },
    { text: node.capabilities.join(" "), weight: 4 },
    { text: categoryOf(node.type), weight: 3 },
    { text: node.whenToUse, weight: 2 },
    { text: node.description, weight: 1 },
  ];
}

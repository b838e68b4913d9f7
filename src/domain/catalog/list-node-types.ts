import type { NodeTypeList } from "../../contracts/workflows/node-type-entry.ts";
import { NODE_TYPES } from "../../nodes/registry.ts";
import { type CatalogPage, catalogPage } from "./catalog-page.ts";
import { categoryOf } from "../../lib/node-category.ts";
import { describeNodeType } from "./describe-node-type.ts";
import { searchNodeTypes } from "./search-node-types.ts";

export interface NodeTypeQuery extends CatalogPage {
  readonly category?: string | undefined;
  readonly search?: string | undefined;
}

/** A page of node types; the cursor is the `type`. Throws `invalid_request` for a cursor that is not in the list. */
export function listNodeTypes(query: NodeTypeQuery): NodeTypeList {
  const category = query.category?.toLowerCase();
  const found = searchNodeTypes(
    NODE_TYPES.filter((node) => category === undefined || categoryOf(node.type) === category),
    query.search ?? "",
  );
  const page = catalogPage(found, ({ type }) => type, query, "node type");
  return { ...page, data: page.data.map(describeNodeType) };
}

import type {
  NodeTypeDetail,
  NodeTypeEntry,
  NodeTypeList,
} from "../../contracts/workflows/node-type-entry.ts";
import { type CatalogPage, catalogPage } from "./catalog-page.ts";
import { searchNodeTypes } from "./search-node-types.ts";

export interface NodeTypeQuery extends CatalogPage {
  readonly category?: string | undefined;
  readonly search?: string | undefined;
}

/** A page of node types; the cursor is the `type`. Throws `invalid_request` for a cursor that is not in the list. */
export function listNodeTypes(
  catalog: readonly NodeTypeDetail[],
  query: NodeTypeQuery,
): NodeTypeList {
  const category = query.category?.toLowerCase();
  const found = searchNodeTypes(
    catalog.filter((entry) => category === undefined || entry.category === category),
    query.search ?? "",
  );
  const page = catalogPage(found, ({ type }) => type, query, "node type");
  return { ...page, data: page.data.map(withoutDetails) };
}

/** Leaves out the fields of the detail view. */
function withoutDetails({
  capabilities: _capabilities,
  roles: _roles,
  has_dynamic_ports: _hasDynamicPorts,
  dynamic_ports: _dynamicPorts,
  ...entry
}: NodeTypeDetail): NodeTypeEntry {
  return entry;
}

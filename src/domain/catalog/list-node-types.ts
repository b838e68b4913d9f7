import type { NodeTypeList } from "../../contracts/node-type-entry.ts";
import { AppError } from "../../lib/errors.ts";
import { NODE_TYPES } from "../../nodes/registry.ts";
import { categoryOf, describeNodeType } from "./describe-node-type.ts";
import { searchNodeTypes } from "./search-node-types.ts";

export interface NodeTypeQuery {
  readonly category?: string | undefined;
  readonly search?: string | undefined;
  /** All types if omitted (docs/contract/catalog.md#node-types). */
  readonly limit?: number | undefined;
  /** The `type` of the previous page's last item. */
  readonly startingAfter?: string | undefined;
}

/** A page of node types. Throws `invalid_request` for a cursor that is not in the list. */
export function listNodeTypes(query: NodeTypeQuery): NodeTypeList {
  const category = query.category?.toLowerCase();
  const found = searchNodeTypes(
    NODE_TYPES.filter((node) => category === undefined || categoryOf(node) === category),
    query.search ?? "",
  );
  let start = 0;
  if (query.startingAfter !== undefined) {
    start = found.findIndex(({ type }) => type === query.startingAfter) + 1;
    if (start === 0) {
      throw new AppError(
        "invalid_request",
        `No node type "${query.startingAfter.slice(0, 200)}" is in this list. Send the next_cursor of the page before, with the same filters.`,
      );
    }
  }
  const page = found.slice(start, query.limit === undefined ? undefined : start + query.limit);
  const hasMore = start + page.length < found.length;
  return {
    data: page.map(describeNodeType),
    has_more: hasMore,
    next_cursor: hasMore ? (page.at(-1)?.type ?? null) : null,
    total_count: found.length,
  };
}

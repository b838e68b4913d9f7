import type { NodeTypeDetail } from "../../contracts/workflows/node-type-entry.ts";
import { AppError } from "../../lib/errors/errors.ts";
import type { NodeType } from "../../nodes/define-roles.ts";
import { findNodeType } from "../../nodes/registry.ts";

/** The catalog's entry of one node type. Throws `not_found`. */
export function getNodeType(catalog: readonly NodeTypeDetail[], type: string): NodeTypeDetail {
  return catalog.find((entry) => entry.type === type) ?? refuse(type);
}

/** One node type. Throws `not_found`. */
export function requireNodeType(type: string): NodeType {
  return findNodeType(type) ?? refuse(type);
}

function refuse(type: string): never {
  throw new AppError(
    "not_found",
    `There is no node type "${type.slice(0, 200)}". GET /api/v1/node-types lists them.`,
  );
}

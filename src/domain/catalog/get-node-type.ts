import type { NodeTypeDetail } from "../../contracts/workflows/node-type-entry.ts";
import { AppError } from "../../lib/errors/errors.ts";
import type { NodeType } from "../../nodes/define-roles.ts";
import { findNodeType } from "../../nodes/registry.ts";
import { detailNodeType } from "./describe-node-type.ts";

/** The catalog entry of one node type. Throws `not_found`. */
export function getNodeType(type: string): NodeTypeDetail {
  return detailNodeType(requireNodeType(type));
}

/** One node type. Throws `not_found`. */
export function requireNodeType(type: string): NodeType {
  const node = findNodeType(type);
  if (node === undefined) {
    throw new AppError(
      "not_found",
      `There is no node type "${type.slice(0, 200)}". GET /api/v1/node-types lists them.`,
    );
  }
  return node;
}

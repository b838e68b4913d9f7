import type { NodeTypeDetail } from "../../contracts/node-type-entry.ts";
import { AppError } from "../../lib/errors.ts";
import { findNodeType } from "../../nodes/registry.ts";
import { detailNodeType } from "./describe-node-type.ts";

/** One node type. Throws `not_found`. */
export function getNodeType(type: string): NodeTypeDetail {
  const node = findNodeType(type);
  if (node === undefined) {
    throw new AppError(
      "not_found",
      `There is no node type "${type.slice(0, 200)}". GET /api/v1/node-types lists them.`,
    );
  }
  return detailNodeType(node);
}

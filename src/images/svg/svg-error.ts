import { NodeError } from "../../lib/node-error.ts";

/** A reason why a drawing cannot be turned into pixels (docs/contract/assets.md#pictures). `reason` continues "The SVG …". */
export function svgError(reason: string, cause?: unknown): NodeError {
  return new NodeError("SVG_UNDRAWABLE", `The SVG ${reason}`, cause === undefined ? {} : { cause });
}

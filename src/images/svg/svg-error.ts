import { NodeError } from "../../lib/node-error.ts";

/** A reason why a drawing cannot be turned into pixels (spec 1 §4.3). `reason` continues "The SVG …". */
export function svgError(reason: string, cause?: unknown): NodeError {
  return new NodeError("SVG_UNDRAWABLE", `The SVG ${reason}`, cause === undefined ? {} : { cause });
}

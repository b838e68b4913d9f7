import { NodeError } from "../lib/node-error.ts";

/** A picture that memory has no room for. `reason` continues "The picture …" and names the limit. */
export function imageTooLarge(reason: string): NodeError {
  return new NodeError("IMAGE_TOO_LARGE", `The picture ${reason}`);
}

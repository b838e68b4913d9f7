import { NodeError } from "../lib/node-error.ts";

/** A file that is no picture, or a broken one. `reason` continues "The picture …" and says how to mend it. */
export function unreadableImage(reason: string, cause?: unknown): NodeError {
  return new NodeError(
    "IMAGE_UNREADABLE",
    `The picture ${reason}`,
    cause === undefined ? {} : { cause },
  );
}

/** A picture that memory has no room for. `reason` continues "The picture …" and names the limit. */
export function imageTooLarge(reason: string): NodeError {
  return new NodeError("IMAGE_TOO_LARGE", `The picture ${reason}`);
}

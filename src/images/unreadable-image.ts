import { NodeError } from "../lib/node-error.ts";

/** A file that is no picture, or a broken one. `reason` continues "The picture …" and says how to mend it. */
export function unreadableImage(reason: string, cause?: unknown): NodeError {
  return new NodeError(
    "IMAGE_UNREADABLE",
    `The picture ${reason}`,
    cause === undefined ? {} : { cause },
  );
}

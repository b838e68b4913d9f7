import { NodeError } from "../lib/errors/node-error.ts";

/**
 * A file that is not a picture, or a damaged one. `reason` continues "The picture …" and states the
 * fix.
 */
export function unreadableImage(reason: string, cause?: unknown): NodeError {
  return new NodeError(
    "IMAGE_UNREADABLE",
    `The picture ${reason}`,
    cause === undefined ? {} : { cause },
  );
}

/**
 * A picture that is too large for the memory. `reason` continues "The picture …" and states the
 * limit.
 */
export function imageTooLarge(reason: string, cause?: unknown): NodeError {
  return new NodeError(
    "IMAGE_TOO_LARGE",
    `The picture ${reason}`,
    cause === undefined ? {} : { cause },
  );
}

import { NodeError } from "../lib/node-error.ts";

/**
 * A failure of a call to a provider without idempotency keys. If its answer was lost, the provider may have done the work, so
 * the call is repeated once at most: such a failure of a later attempt than the first is final.
 */
export function repeatedOnce(error: unknown, attempt: number): unknown {
  const isLost =
    error instanceof NodeError &&
    error.code === "PROVIDER_UNAVAILABLE" &&
    error.cause !== undefined;
  return isLost && attempt > 1
    ? new NodeError(
        "PROVIDER_UNAVAILABLE",
        "The provider's answer was lost. The call is not repeated again, because each may have been charged.",
        { cause: error },
      )
    : error;
}

/** The pieces of an answer, with such failures. */
export async function* piecesOnce(
  pieces: AsyncIterable<Uint8Array>,
  attempt: number,
): AsyncGenerator<Uint8Array> {
  try {
    yield* pieces;
  } catch (error) {
    throw repeatedOnce(error, attempt);
  }
}

/**
 * workerd closes kept connections without a word, and what is written to one at that moment is never
 * answered. Browsers send such a request again by themselves; Node's fetch does not, so this does, once.
 * A service that was killed refuses the second try too.
 */
const send = globalThis.fetch;

globalThis.fetch = async (input, init) => {
  try {
    return await send(input, init);
  } catch (error) {
    const isRepeatable = !(input instanceof Request) && !(init?.body instanceof ReadableStream);
    if (isRepeatable && isClosedUnanswered(error)) {
      return send(input, init);
    }
    throw error;
  }
};

function isClosedUnanswered(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && cause.message === "other side closed";
}

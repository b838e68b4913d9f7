/**
 * workerd closes kept-alive connections silently, and a request sent at that moment gets no response. Browsers repeat
 * such a request; Node's fetch does not, so this wrapper does, once. A killed service refuses the second attempt too.
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

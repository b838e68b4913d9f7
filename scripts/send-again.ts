/**
 * workerd closes idle kept-alive connections silently, and a request that is sent on one at that moment gets no
 * response. Browsers send such a request again on another connection; Node's `fetch` does not.
 */

/** A pool may hold several closed connections, and each attempt meets one of them at most. */
const ATTEMPTS_MAX = 4;

const IDEMPOTENT = new Set(["GET", "HEAD", "OPTIONS", "PUT", "DELETE"]);

/**
 * Whether the service may get the request twice without doing its work twice: because of its method, or because the
 * service recognizes the second one by its `Idempotency-Key`.
 */
export function isRepeatable(method = "GET", headers?: RequestInit["headers"]): boolean {
  return IDEMPOTENT.has(method.toUpperCase()) || new Headers(headers).has("idempotency-key");
}

/**
 * Calls `send` again while it fails with an error that `isRepeated` accepts, four times in all at most. A service that
 * does not run refuses connections; such an error does not count as a closed connection, so it is thrown at once.
 */
export async function sendAgain(
  send: () => Promise<Response>,
  isRepeated: (error: unknown) => boolean,
): Promise<Response> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await send();
    } catch (error) {
      if (attempt >= ATTEMPTS_MAX || !isRepeated(error)) {
        throw error;
      }
    }
  }
}

/** Whether `fetch` failed because the other side closed the connection before any response. */
export function isClosedConnection(error: unknown): boolean {
  const cause = error instanceof TypeError ? error.cause : undefined;
  return (
    cause instanceof Error &&
    "code" in cause &&
    ["UND_ERR_SOCKET", "EPIPE", "ECONNRESET"].includes(String(cause.code))
  );
}

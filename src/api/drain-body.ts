/** Enough to drain a large file that a client sent to the wrong route. */
const DRAIN_MAX_BYTES = 64 * 1024 * 1024;
const DRAIN_MAX_MS = 5000;

/**
 * Drains the rest of a refused request, of which `bytesRead` bytes were read already. If a server responds and closes
 * while its client is sending, the connection is reset and the client loses the response with the reason (RFC 9112
 * §9.6).
 */
export async function drainBody(request: Request, bytesRead = 0): Promise<void> {
  const body = request.body;
  if (
    body === null ||
    body.locked ||
    Number(request.headers.get("content-length")) - bytesRead > DRAIN_MAX_BYTES
  ) {
    return;
  }
  const reader = body.getReader();
  const timer = setTimeout(() => void reader.cancel().catch(() => undefined), DRAIN_MAX_MS);
  try {
    for (let total = 0; total <= DRAIN_MAX_BYTES;) {
      const { done, value } = await reader.read();
      if (done) {
        return;
      }
      total += value.byteLength;
    }
    await reader.cancel();
  } catch {
    // The client disconnected, so nobody receives the response.
  } finally {
    clearTimeout(timer);
  }
}

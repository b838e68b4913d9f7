/** Enough for a client that sent a large file to the wrong place. */
const DRAIN_MAX_BYTES = 64 * 1024 * 1024;
const DRAIN_MAX_MS = 5000;

/**
 * Reads away what a refused request still sends, after `bytesRead` that were taken of it. A server that answers and closes while its client
 * is sending resets the connection, and the client loses the answer that says why (RFC 9112 §9.6).
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
    // The client went away: nobody is left to answer.
  } finally {
    clearTimeout(timer);
  }
}

const POLL_MS = 20;
const POLL_MAX_MS = 100;

/**
 * Polls until `check` returns a value, for at most `timeoutMs`; then throws with the description of the expected state. Each pause is a
 * tenth of the time so far, from 20 ms to 100 ms: polls take processor time from what they wait for.
 */
export async function waitUntil<T>(
  what: string,
  check: () => Promise<T | undefined | false>,
  timeoutMs = 120_000,
): Promise<T> {
  const beganMs = Date.now();
  const untilMs = beganMs + timeoutMs;
  for (;;) {
    const found = await check();
    if (found !== undefined && found !== false) {
      return found;
    }
    if (Date.now() > untilMs) {
      throw new Error(`waited ${String(timeoutMs)} ms in vain for ${what}`);
    }
    const pauseMs = Math.min(POLL_MAX_MS, Math.max(POLL_MS, (Date.now() - beganMs) / 10));
    await new Promise((resolve) => {
      setTimeout(resolve, pauseMs);
    });
  }
}

/**
 * Polls every 20 ms until `check` returns a value, for at most `timeoutMs`; then throws with the description of the
 * expected state.
 */
export async function waitUntil<T>(
  what: string,
  check: () => Promise<T | undefined | false>,
  timeoutMs = 120_000,
): Promise<T> {
  const untilMs = Date.now() + timeoutMs;
  for (;;) {
    const found = await check();
    if (found !== undefined && found !== false) {
      return found;
    }
    if (Date.now() > untilMs) {
      throw new Error(`waited ${String(timeoutMs)} ms in vain for ${what}`);
    }
    await new Promise((resolve) => {
      setTimeout(resolve, 20);
    });
  }
}

/** Polls until `check` answers something, every 20 ms for at most `timeoutMs`; then says what it waited for. */
export async function waitUntil<T>(
  what: string,
  check: () => Promise<T | undefined | false>,
  timeoutMs = 10_000,
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

/**
 * Runs `stop` on Ctrl-C or SIGTERM, then exits with code 0. Call it after the service has started, because it removes
 * Miniflare's handlers, which would end the process at once with a signal's code.
 */
export function onStopSignal(stop: () => Promise<void>): void {
  let isStopping = false;
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.removeAllListeners(signal);
    process.on(signal, () => {
      if (!isStopping) {
        isStopping = true;
        void stop().finally(() => process.exit(0));
      }
    });
  }
}

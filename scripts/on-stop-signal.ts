/**
 * Runs `stop` on Ctrl-C or SIGTERM, then ends with code 0. Call it after the service has started:
 * Miniflare's own handlers, which end the process at once with a signal's code, are taken away.
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

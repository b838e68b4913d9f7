export interface ClosedLoopOptions {
  /** Clients that each start their next call when the previous one has ended. */
  readonly clients: number;
  /** No call is started after this many starts or this much time. */
  readonly starts: number;
  readonly forMs: number;
}

export interface ClosedLoopResult {
  /** Number of calls that ended, which is the number started. */
  readonly done: number;
  /** From the first start to the last end. */
  readonly elapsedMs: number;
}

/** Runs a number of clients that repeat a call. Rethrows the error of a call. */
export async function closedLoop(
  once: () => Promise<unknown>,
  { clients, starts, forMs }: ClosedLoopOptions,
): Promise<ClosedLoopResult> {
  let [started, done] = [0, 0];
  const startedAt = performance.now();
  const client = async () => {
    while (started < starts && performance.now() - startedAt < forMs) {
      started += 1;
      await once();
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  return { done, elapsedMs: performance.now() - startedAt };
}

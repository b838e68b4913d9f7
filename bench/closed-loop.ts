export interface ClosedLoopOptions {
  /** Each starts its next as soon as its last is over. */
  readonly clients: number;
  /** Nothing new is started after so many starts, or after so long. */
  readonly starts: number;
  readonly forMs: number;
}

export interface ClosedLoopResult {
  /** How many came to their end, all of those started. */
  readonly done: number;
  /** From the first start to the last end. */
  readonly elapsedMs: number;
}

/** Has so many clients do something again and again. Throws what one of them throws. */
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

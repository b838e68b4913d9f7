/** The source of time; tests replace it. */
export interface LoopClock {
  nowMs(): number;
  sleepUntil(ms: number): Promise<void>;
}

export interface OpenLoopOptions {
  readonly perSecond: number;
  readonly calls: number;
  /** This many callers share the calls in turns, each with one at a time; without it no call waits for another. */
  readonly clients?: number;
  /** No call is made once it returns true. */
  readonly isOver?: () => boolean;
  readonly clock?: LoopClock;
}

/**
 * Makes calls at a fixed rate, whether or not earlier calls have ended. Returns the milliseconds of each from its due
 * time, not from its start: a stall counts against every call that was due meanwhile (no coordinated omission).
 * Rethrows the error of a call, once all have ended.
 */
export async function openLoop(
  call: () => Promise<void>,
  { perSecond, calls, clients, isOver = () => false, clock = REAL }: OpenLoopOptions,
): Promise<number[]> {
  const startMs = clock.nowMs();
  const dueMs = (index: number) => startMs + (index * 1000) / perSecond;
  const ends: Promise<{ readonly ms: number } | { readonly error: unknown }>[] = [];
  for (let index = 0; index < calls; index += 1) {
    await clock.sleepUntil(dueMs(index));
    if (isOver()) {
      break;
    }
    const before = clients === undefined ? undefined : ends[index - clients];
    ends.push(
      (before === undefined ? call() : before.then(call)).then(
        () => ({ ms: clock.nowMs() - dueMs(index) }),
        // Handled at once, because the loop checks errors only later.
        (error: unknown) => ({ error }),
      ),
    );
  }
  return (await Promise.all(ends)).map((end) => {
    if ("error" in end) {
      throw end.error;
    }
    return end.ms;
  });
}

const REAL: LoopClock = {
  nowMs: () => performance.now(),
  async sleepUntil(ms) {
    // Timers of Node are up to a millisecond late, which is counted like any other delay.
    const restMs = ms - performance.now();
    if (restMs > 0) {
      await new Promise((resolve) => setTimeout(resolve, restMs));
    }
  },
};

/**
 * What a built simulation has in place of `Date.now`, `Math.random`, `scheduler` and `console`: the
 * build replaces these names in every file it takes in, the object's own among them.
 */
interface SimulatedClock {
  nowMs: () => number;
  random: () => number;
  /** Where the platform would write out what was stored and let others in. */
  pause: () => Promise<void>;
}

let clock: SimulatedClock | undefined;

/** The world that the object of this process lives in from now on. */
export function setSimulatedClock(next: SimulatedClock): void {
  clock = next;
}

function current(): SimulatedClock {
  if (clock === undefined) {
    throw new Error("no simulated world was set");
  }
  return clock;
}

export const simulatedNow = (): number => current().nowMs();
export const simulatedRandom = (): number => current().random();
export const simulatedScheduler = { wait: (): Promise<void> => current().pause() };
/** Logs of thousands of hostile worlds help nobody. */
export const simulatedConsole = { log: () => {}, error: () => {}, warn: () => {} };

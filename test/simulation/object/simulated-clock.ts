/**
 * What a built simulation has in place of `Date.now`, `Math.random`, `setTimeout`, `scheduler` and
 * `console`: the build replaces these names in every file it takes in, the object's own among them.
 */
interface SimulatedClock {
  nowMs: () => number;
  random: () => number;
  /** Where the platform would write out what was stored and let others in. */
  pause: () => Promise<void>;
  /** Calls `act` once, unless the object has died before; answers what calls it off. */
  later: (delayMs: number, act: () => void) => () => void;
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
export const simulatedTimeout = (act: () => void, delayMs: number): (() => void) =>
  current().later(delayMs, act);
export const simulatedClearTimeout = (callOff: (() => void) | undefined): void => callOff?.();
export const simulatedScheduler = { wait: (): Promise<void> => current().pause() };
/** Logs of thousands of hostile worlds help nobody. */
export const simulatedConsole = { log: () => {}, error: () => {}, warn: () => {} };

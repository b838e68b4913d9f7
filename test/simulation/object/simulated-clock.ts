/**
 * Replaces `Date.now`, `Math.random`, `setTimeout`, `setInterval`, `scheduler` and `console` in a built simulation: the build
 * substitutes these names in every file, including the object's own.
 */
interface SimulatedClock {
  nowMs: () => number;
  random: () => number;
  /** Where the platform would make writes durable and let other events in. */
  pause: () => Promise<void>;
  /** Calls `act` once, unless who asks for it has died before; returns the function that cancels it. */
  later: (delayMs: number, act: () => void) => () => void;
}

let clock: SimulatedClock | undefined;

/** The world of this process's object from now on. */
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
export const simulatedInterval = (act: () => void, everyMs: number): (() => void) => {
  const again = () =>
    current().later(everyMs, () => {
      act();
      callOff = again();
    });
  let callOff = again();
  return () => {
    callOff();
  };
};
export const simulatedScheduler = { wait: (): Promise<void> => current().pause() };
/** Logs of thousands of hostile worlds are useless. */
export const simulatedConsole = { log: () => {}, error: () => {}, warn: () => {} };

/** Reads the durable steps that a service started with EFFECT_LOG=1 logs. */
import type { Effect } from "../../src/platform/effect-log.ts";

export type Strike = Effect | "nothing yet";

/** The last step before the end of the log, which a kill followed. */
export function lastEffect(log: string): Strike {
  const at = log.lastIndexOf("effect: ");
  if (at === -1) {
    return "nothing yet";
  }
  return (log.slice(at + "effect: ".length).split("\n", 1)[0] ?? "").trim() as Effect;
}

/** How often a step was made so far. */
export function countEffect(log: string, effect: Effect): number {
  return log.split(`effect: ${effect}\n`).length - 1;
}

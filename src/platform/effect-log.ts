/** The durable effects of a run, step by step, and those of an upload from its completion on. */
export type Effect =
  | "admission"
  | "slice commit"
  | "lease"
  | "report"
  | "settle"
  | "outbox"
  | "finalize";

let isWatched = false;

/** Called by each object when it wakes. Off unless the local service was started with EFFECT_LOG=1. */
export function watchEffects(env: {
  readonly ENVIRONMENT: string;
  readonly EFFECT_LOG?: string;
}): void {
  isWatched = env.ENVIRONMENT === "local" && env.EFFECT_LOG === "1";
}

/** Logs an effect after it is made. Tests that kill the service use the log to locate the kill. */
export function effectMade(effect: Effect): void {
  if (isWatched) {
    // oxlint-disable-next-line no-console -- read by the chaos script as it comes, from the log's own stream
    console.log(`effect: ${effect}`);
  }
}

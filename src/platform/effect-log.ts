/** What a run's way through the service makes durable, step by step; and an upload's, from its last call on. */
export type Effect =
  | "admission"
  | "slice commit"
  | "lease"
  | "report"
  | "settle"
  | "outbox"
  | "finalize";

let isWatched = false;

/** Called by the objects as they wake. Off unless the local service was started with EFFECT_LOG=1. */
export function watchEffects(env: {
  readonly ENVIRONMENT: string;
  readonly EFFECT_LOG?: string;
}): void {
  isWatched = env.ENVIRONMENT === "local" && env.EFFECT_LOG === "1";
}

/** A line of log once an effect is made, by which a kill can say where it struck. */
export function effectMade(effect: Effect): void {
  if (isWatched) {
    // oxlint-disable-next-line no-console -- read by the chaos script as it comes, from the log's own stream
    console.log(`effect: ${effect}`);
  }
}

import { AppError } from "../lib/errors.ts";
import type { Env } from "./env.ts";
import { unlimited } from "./limits.ts";

/** Long enough for a burst of requests to share one look, short enough that nobody notices. */
const LOOK_FOR_MS = 50;
const RETRY_AFTER_S = "5";

/**
 * What stores say when they cannot be written or reached: words of SQLite, D1, R2 and of objects
 * whose storage failed. What the runtime hides ("internal error") is a failure of its own, not of ours.
 */
const STORE_WORDS = [
  "database or disk is full",
  "SQLITE_FULL",
  "disk I/O error",
  "SQLITE_IOERR",
  "SQLITE_CANTOPEN",
  "unable to open database file",
  "storage operation exceeded timeout",
  "DB is overloaded",
  "Internal error in D1",
  "Internal error in Durable Object storage",
  "Durable Object is overloaded",
  "Network connection lost",
  "internal error; reference",
  "No space left on device",
  "ENOSPC",
  // R2's codes for internal errors and for a service that is not available.
  "(10001)",
  "(10043)",
] as const;

/** Whether something that was thrown says that a store is full or cannot be reached. */
export function isStorageFailure(thrown: unknown): boolean {
  return thrown instanceof Error && STORE_WORDS.some((words) => thrown.message.includes(words));
}

/** The refusal of a request that cannot write. */
export function storageUnavailable(cause?: unknown): AppError {
  return new AppError(
    "service_unavailable",
    "Storage is unavailable: this request cannot be stored at the moment. Try again in a few seconds, with the same Idempotency-Key if the route accepts one.",
    { headers: { "retry-after": RETRY_AFTER_S }, ...(cause !== undefined && { cause }) },
  );
}

let seen:
  | { readonly of: Fetcher; readonly atMs: number; readonly isFull: Promise<boolean> }
  | undefined;

/**
 * Whether the local service's disk has no room left: its reserve (`scripts/disk-reserve.ts`) is gone
 * then. False wherever there is no such disk.
 */
export function isDiskFull(env: Pick<Env, "RESERVE">, nowMs: number): Promise<boolean> {
  const { RESERVE: reserve } = unlimited(env) as Pick<Env, "RESERVE">;
  if (reserve === undefined) {
    return Promise.resolve(false);
  }
  if (seen?.of !== reserve || nowMs - seen.atMs > LOOK_FOR_MS || nowMs < seen.atMs) {
    seen = { of: reserve, atMs: nowMs, isFull: look(reserve) };
  }
  return seen.isFull;
}

async function look(reserve: Fetcher): Promise<boolean> {
  const { status } = await reserve.fetch("http://reserve/space", { method: "HEAD" });
  return status === 404;
}

import { AppError } from "../lib/errors.ts";
import type { Env } from "./env.ts";
import { unlimited } from "./limits.ts";

/** Long enough for a burst of requests to share one check, short enough to go unnoticed. */
const LOOK_FOR_MS = 50;
const RETRY_AFTER_S = "5";

/**
 * Messages of stores that cannot be written or reached: SQLite, D1, R2 and objects whose storage failed. An
 * "internal error" whose cause the runtime hides counts too: it is a failure of the platform, not of our code.
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
  // R2's codes for internal errors and for an unavailable service.
  "(10001)",
  "(10043)",
] as const;

/** Whether an error reports a store that is full or cannot be reached. */
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
 * Whether the local service's disk is full, which is the case when its reserve (`scripts/disk-reserve.ts`) is gone.
 * Always false in a deployment.
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

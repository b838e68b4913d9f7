import { AppError } from "../lib/errors/errors.ts";
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

/** While one request checks, others use the answer before it, up to this age. */
const STALE_MAX_MS = 1_000;

/**
 * The last answer, and when the check after it began. The answer and not its promise, which requests must not share
 * (docs/decisions/shared-promises.md).
 */
let seen:
  | { readonly of: Fetcher; atMs: number; isFull: boolean; checkedSinceMs: number | undefined }
  | undefined;

/**
 * Whether the local service's disk is full, which is the case when its reserve (`scripts/disk-reserve.ts`) is gone.
 * Always false in a deployment.
 */
export async function isDiskFull(env: Pick<Env, "RESERVE">, nowMs: number): Promise<boolean> {
  const { RESERVE: reserve } = unlimited(env) as Pick<Env, "RESERVE">;
  if (reserve === undefined) {
    return false;
  }
  const known = seen?.of === reserve ? seen : undefined;
  if (known !== undefined) {
    const ageMs = nowMs - known.atMs;
    const checkMs = known.checkedSinceMs === undefined ? undefined : nowMs - known.checkedSinceMs;
    // A check that takes this long was lost with its request.
    const isBeingChecked = checkMs !== undefined && checkMs >= 0 && checkMs < STALE_MAX_MS;
    if (ageMs >= 0 && ageMs <= (isBeingChecked ? STALE_MAX_MS : LOOK_FOR_MS)) {
      return known.isFull;
    }
    known.checkedSinceMs = nowMs;
  }
  const isFull = await look(reserve);
  seen = { of: reserve, atMs: nowMs, isFull, checkedSinceMs: undefined };
  return isFull;
}

async function look(reserve: Fetcher): Promise<boolean> {
  const { status } = await reserve.fetch("http://reserve/space", { method: "HEAD" });
  return status === 404;
}

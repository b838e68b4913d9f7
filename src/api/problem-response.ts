import type { Context } from "hono";
import type { Problem } from "../contracts/problem.ts";
import { AppError } from "../lib/errors/errors.ts";
import { STATUS_TITLES } from "../lib/errors/status-titles.ts";
import type { AppEnv } from "./app-env.ts";
import { isStorageFailure, storageUnavailable } from "../platform/storage-state.ts";
import { describeCause } from "../lib/errors/describe-cause.ts";

const RETRY_AFTER_S = "1";

/**
 * Converts every error to a problem response (docs/contract/problems.md#format). An error that is not an AppError is
 * logged and returned as `internal_error`.
 */
export function problemResponse(c: Context<AppEnv>, thrown: unknown): Response {
  const ctx = c.var.ctx;
  const error =
    thrown instanceof AppError
      ? thrown
      : isStorageFailure(thrown)
        ? storageUnavailable(thrown)
        : new AppError(
            "internal_error",
            "The service failed. Try again. If the error persists, quote request_id to support.",
          );
  if (error.status >= 500) {
    const cause = thrown instanceof AppError ? thrown.cause : thrown;
    ctx.log.error("request_failed", {
      code: error.code,
      reason: cause === undefined ? error.message : describeCause(cause),
    });
  }
  const standard: Problem = {
    type: `${ctx.baseUrl}/docs/public-api/errors/${error.code.replaceAll("_", "-")}`,
    title: STATUS_TITLES[error.status] ?? "Error",
    status: error.status,
    detail: error.message,
    code: error.code,
    instance: new URL(c.req.url).pathname,
    request_id: ctx.correlationId,
    ...(error.errors.length > 0 && { errors: [...error.errors] }),
  };
  // Members of an error's own come last, and replace none of the standard ones.
  const problem: Problem = { ...standard, ...error.members, ...standard };
  return new Response(c.req.method === "HEAD" ? null : JSON.stringify(problem), {
    status: error.status,
    headers: {
      "content-type": "application/problem+json; charset=utf-8",
      "cache-control": "no-store",
      // docs/contract/problems.md#format: required for these statuses, also if the thrower did not set a time.
      ...((error.status === 429 || error.status === 503) && { "retry-after": RETRY_AFTER_S }),
      ...error.headers,
    },
  });
}

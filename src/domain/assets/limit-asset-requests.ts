import { AppError } from "../../lib/errors/errors.ts";
import type { CallerContext } from "../../platform/context.ts";
import { rateLimiterObject } from "../../storage/objects/rate-limiter-object.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";

const PER_MINUTE = LIMITS.requests_of_files.value;
const WINDOW_MS = 60_000;

/**
 * Counts one import or one new upload session of a workspace. Throws `rate_limited` with
 * `Retry-After`.
 */
export async function limitAssetRequests(
  ctx: CallerContext,
  what: "imports" | "uploads",
): Promise<void> {
  const name = `${what}:${ctx.principal.workspaceId}`;
  const outcome = await rateLimiterObject(ctx, name).take({
    v: 1,
    limit: PER_MINUTE,
    window_ms: WINDOW_MS,
  });
  if (!outcome.is_allowed) {
    const seconds = Math.max(1, Math.ceil(outcome.retry_after_ms / 1000));
    throw new AppError(
      "rate_limited",
      `More than ${PER_MINUTE} ${what === "imports" ? "imports" : "new upload sessions"} a minute in this workspace. Try again in ${seconds} s.`,
      { headers: { "retry-after": String(seconds) } },
    );
  }
}

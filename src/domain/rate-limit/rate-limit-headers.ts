import type { Standing } from "./permit-lease.ts";

/**
 * `X-RateLimit-*` of docs/contract/rate-limits.md#requests for the tightest window, and the
 * standard's `RateLimit` and `RateLimit-Policy` for each. Advisory: isolates count part of a window
 * by themselves.
 */
export function rateLimitHeaders(
  standings: readonly Standing[],
  windowMs: number,
  nowMs: number,
): Record<string, string> {
  const [first] = standings;
  if (first === undefined) {
    return {};
  }
  let tightest = first;
  for (const standing of standings) {
    if (standing.remaining < tightest.remaining) {
      tightest = standing;
    }
  }
  const windowSeconds = windowMs / 1000;
  // A slice leaves up to a second after its window has passed; no reader takes more seconds than `w`.
  const untilReset = ({ resetMs }: Standing) => Math.min(resetMs, windowMs);
  return {
    "x-ratelimit-limit": String(tightest.limit),
    "x-ratelimit-remaining": String(tightest.remaining),
    "x-ratelimit-reset": String(Math.ceil((nowMs + untilReset(tightest)) / 1000)),
    "ratelimit-policy": standings
      .map(({ policy, limit }) => `"${policy}";q=${limit};w=${windowSeconds}`)
      .join(", "),
    ratelimit: standings
      .map(
        (standing) =>
          `"${standing.policy}";r=${standing.remaining};t=${Math.ceil(untilReset(standing) / 1000)}`,
      )
      .join(", "),
  };
}

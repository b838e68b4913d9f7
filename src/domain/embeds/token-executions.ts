import type { RuntimeClaims } from "../../contracts/embeds/embed-claims.ts";
import type { EmbedExecutions } from "../../contracts/embeds/embed-requests.ts";
import { AppError } from "../../lib/errors/errors.ts";

/** The count of a token's runs as callers see it. */
export function tokenExecutions(
  { max_executions: max }: Pick<RuntimeClaims, "max_executions">,
  used: number,
): EmbedExecutions {
  return { max, used, remaining: max === null ? null : Math.max(0, max - used) };
}

/** `execution_cap_exceeded`, with the count as the member `executions`. */
export function capExceeded(
  claims: RuntimeClaims,
  outcome: { readonly kind: "exhausted" | "refused"; readonly used: number },
): AppError {
  const executions = tokenExecutions(claims, outcome.used);
  const message =
    outcome.kind === "exhausted"
      ? `This embed token has started ${executions.used} of its ${String(executions.max)} runs. Mint a new one.`
      : "The permit is unknown, was used, or is older than 10 minutes. Call POST /api/embed/check-execution for another.";
  return new AppError("execution_cap_exceeded", message, { members: { executions } });
}

/** `too_many_requests`: the object keeps no more open permits. */
export function tooManyPermits({ retry_after_ms }: { readonly retry_after_ms: number }): AppError {
  const seconds = Math.max(1, Math.ceil(retry_after_ms / 1000));
  return new AppError(
    "too_many_requests",
    `Too many permits of this embed token are not used yet. Submit with them, or try again in ${seconds} s.`,
    { headers: { "retry-after": String(seconds) } },
  );
}

import { AppError } from "../../lib/errors/errors.ts";
import type { AppContext, Principal } from "../../platform/context.ts";
import { rateLimiterObject } from "../../storage/objects/rate-limiter-object.ts";
import { getBillingPlan, requestFigures } from "../billing-plans/workspace-billing-plans.ts";
import { PermitLease, type Question, type Standing } from "./permit-lease.ts";
import { describeCause } from "../../lib/errors/describe-cause.ts";

/** docs/contract/rate-limits.md#requests: plans state requests per minute. */
export const REQUEST_WINDOW_MS = 60_000;

/**
 * Number of callers for which one isolate keeps leases; the oldest is removed first and has to ask
 * again.
 */
const LEASES_MAX = 10_000;

const leases = new Map<string, PermitLease>();

export interface RequestLimit {
  readonly standings: readonly Standing[];
  /** The response if the request exceeds the limit, instead of serving it. */
  readonly refusal: AppError | undefined;
}

/**
 * Counts one request of a caller against the limits of its API key and its organization
 * (docs/contract/rate-limits.md#requests). No I/O while this isolate holds permits; see
 * docs/limits.md.
 */
export async function limitRequests(ctx: AppContext, principal: Principal): Promise<RequestLimit> {
  const figures = await requestFigures(ctx, principal);
  const standings: Standing[] = [];
  // If a key has its organization's limit, the organization's count is never below the key's and
  // rejects first. Otherwise the key is checked first, so that a rejected request does not use up
  // the organization's share.
  if (figures.key < figures.organization) {
    const name = `key:${principal.keyId}`;
    const lease = leaseOf(name, figures.key);
    const isAllowed = await spend(ctx, name, lease);
    standings.push(lease.standing("key", ctx.nowMs()));
    if (!isAllowed) {
      return { standings, refusal: refuse(standings, "this API key") };
    }
  }
  const name = `organization:${principal.organizationId}`;
  const lease = leaseOf(name, figures.organization);
  const isAllowed = await spend(ctx, name, lease);
  standings.push(lease.standing("organization", ctx.nowMs()));
  return { standings, refusal: isAllowed ? undefined : refuse(standings, "this organization") };
}

/**
 * Counts one page or call of an embed token against the plan's figure for one token, then as `limitRequests`
 * (docs/contract/embeds.md#rates).
 */
export async function limitEmbedRequests(
  ctx: AppContext,
  principal: Principal,
): Promise<RequestLimit> {
  const plan = await getBillingPlan(ctx, principal);
  const name = `embed:${principal.workspaceId}:${principal.embed?.token ?? ""}`;
  const lease = leaseOf(name, plan.limits.embed_requests_per_minute);
  const isAllowed = await spend(ctx, name, lease);
  const standing = lease.standing("embed", ctx.nowMs());
  if (!isAllowed) {
    return { standings: [standing], refusal: refuse([standing], "this embed token") };
  }
  const others = await limitRequests(ctx, principal);
  return { ...others, standings: [standing, ...others.standings] };
}

async function spend(ctx: AppContext, name: string, lease: PermitLease): Promise<boolean> {
  const nowMs = ctx.nowMs();
  const verdict = lease.spend(nowMs);
  switch (verdict) {
    case "refused":
      return false;
    case "granted": {
      const question = lease.refill(nowMs);
      if (question !== undefined) {
        ctx.waitUntil(put(ctx, name, lease, question, false));
      }
      return true;
    }
    case "ask":
      return put(ctx, name, lease, lease.ask(nowMs), true);
  }
}

/**
 * Asks the limiter object. If it cannot be reached, requests pass: limits protect capacity, not
 * secrets.
 */
async function put(
  ctx: AppContext,
  name: string,
  lease: PermitLease,
  question: Question,
  isWaiting: boolean,
): Promise<boolean> {
  try {
    const rule = { v: 1, limit: lease.limit, window_ms: lease.windowMs } as const;
    const response = await rateLimiterObject(ctx, name).lease({ ...rule, ...question.request });
    return lease.settle(question, response, ctx.nowMs(), isWaiting);
  } catch (error) {
    lease.fail(question);
    ctx.log.error("rate_limit.unreachable", { reason: describeCause(error) });
    return true;
  }
}

function leaseOf(name: string, limit: number): PermitLease {
  const known = leases.get(name);
  if (known?.limit === limit) {
    return known;
  }
  if (known === undefined && leases.size >= LEASES_MAX) {
    const oldest = leases.keys().next();
    if (!oldest.done) {
      leases.delete(oldest.value);
    }
  }
  const lease = new PermitLease(limit, REQUEST_WINDOW_MS);
  leases.set(name, lease);
  return lease;
}

function refuse(standings: readonly Standing[], whose: string): AppError {
  const { limit, resetMs } = standings.at(-1) ?? { limit: 0, resetMs: 0 };
  const seconds = Math.max(1, Math.ceil(resetMs / 1000));
  return new AppError(
    "too_many_requests",
    `More than ${limit} requests in ${REQUEST_WINDOW_MS / 1000} s from ${whose}, the limit of its plan. Try again in ${seconds} s, poll every 3 to 5 seconds, or move to a larger plan.`,
    { headers: { "retry-after": String(seconds) } },
  );
}

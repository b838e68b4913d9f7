import { AppError } from "../../lib/errors.ts";
import type { AppContext } from "../../platform/context.ts";
import { findRequestFigures, type RequestFigures } from "../../storage/d1/plan-store.ts";

/** As of a plan (get-plan.ts): a change by the operator reaches every isolate within this. */
const FIGURES_TTL_MS = 30_000;
/** From this age on a request refreshes them in the background, so that a busy caller never waits for D1. */
const FIGURES_REFRESH_MS = 15_000;
const WORKSPACES_MAX = 5_000;

interface Entry {
  readonly figures: RequestFigures;
  readonly readAtMs: number;
  isRefreshing: boolean;
}

const cache = new Map<string, Entry>();

/**
 * Requests a minute that a workspace's keys and its organisation may make. Without I/O while they
 * are known. Throws `not_found` for an unknown workspace.
 */
export async function requestFigures(
  ctx: AppContext,
  workspaceId: string,
): Promise<RequestFigures> {
  const entry = cache.get(workspaceId);
  const ageMs = entry === undefined ? Number.POSITIVE_INFINITY : ctx.nowMs() - entry.readAtMs;
  // A clock that has stepped back makes an entry look younger than it is, by as much as it stepped.
  if (entry === undefined || ageMs >= FIGURES_TTL_MS || ageMs < 0) {
    return readFigures(ctx, workspaceId);
  }
  if (ageMs >= FIGURES_REFRESH_MS && !entry.isRefreshing) {
    entry.isRefreshing = true;
    ctx.waitUntil(readFigures(ctx, workspaceId).catch(() => undefined));
  }
  return entry.figures;
}

/** Drops what this isolate remembers, after the operator changed a plan. */
export function forgetRequestFigures(): void {
  cache.clear();
}

async function readFigures(ctx: AppContext, workspaceId: string): Promise<RequestFigures> {
  const readAtMs = ctx.nowMs();
  const figures = await findRequestFigures(ctx.env.DB, workspaceId);
  if (figures === undefined) {
    cache.delete(workspaceId);
    throw new AppError("not_found", `There is no workspace ${workspaceId}.`);
  }
  if (cache.size >= WORKSPACES_MAX) {
    cache.clear();
  }
  cache.set(workspaceId, { figures, readAtMs, isRefreshing: false });
  return figures;
}

import { SAMPLE_PROVIDER_ID, WORKERS_AI_PROVIDER_ID } from "../../contracts/provider.ts";
import { RefreshingCache } from "../../lib/refreshing-cache.ts";
import type { AppContext, CallerContext } from "../../platform/context.ts";
import type { Env } from "../../platform/env.ts";
import { CALLABLE } from "../../providers/callable.ts";
import { providersFor } from "../../storage/d1/provider-store.ts";
import { CACHE_LIMITS } from "../cache-limits.ts";
import { kindOf, readSettings } from "../providers/stored-provider.ts";
import { type AvailableModel, availableModels } from "./available-models.ts";
import { type ConfiguredProvider, usableProviders } from "./configured-providers.ts";
import type { DefaultOverrides } from "./default-models.ts";
import type { UsableProvider } from "./usable-provider.ts";

/** The models that a workspace can use, in the order of the defaults, and its own choices of defaults. */
export interface WorkspaceModels {
  readonly available: readonly AvailableModel[];
  readonly overrides: DefaultOverrides;
}

/** The providers that need no configuration. */
export function standingProviders({
  AI,
  SAMPLE_PROVIDER,
}: Pick<Env, "AI" | "SAMPLE_PROVIDER">): UsableProvider[] {
  const plain = { catalog: null, prices: {}, models: [] };
  return [
    ...(AI === undefined
      ? []
      : [{ id: WORKERS_AI_PROVIDER_ID, kind: "workers_ai", ...plain } as const]),
    ...(SAMPLE_PROVIDER === "off"
      ? []
      : [{ id: SAMPLE_PROVIDER_ID, kind: "sample", ...plain } as const]),
  ];
}

const cache = new RefreshingCache<readonly ConfiguredProvider[]>(CACHE_LIMITS.providers);

/** Clears this isolate's cache after a change by the operator. */
export function forgetProviders(): void {
  cache.clear();
}

/** The models that the workspace of a request can use; a change by the operator holds within 30 s. */
export async function workspaceModels(
  ctx: Pick<CallerContext, "env" | "principal" | "nowMs" | "waitUntil">,
): Promise<WorkspaceModels> {
  const configured = await configuredProviders(ctx, ctx.principal.workspaceId);
  const providers = usableProviders(configured, standingProviders(ctx.env));
  return { available: availableModels(providers, CALLABLE), overrides: new Map() };
}

async function configuredProviders(
  ctx: Pick<AppContext, "env" | "nowMs" | "waitUntil">,
  workspaceId: string,
): Promise<readonly ConfiguredProvider[]> {
  const read = async () => {
    const rows = await providersFor(ctx.env.DB, workspaceId);
    return rows.map((row): ConfiguredProvider => {
      const { catalog, prices, models, enabled } = readSettings(row);
      return {
        id: row.id,
        kind: kindOf(row),
        isOfWorkspace: row.workspace_id !== "",
        isEnabled: enabled,
        hasKey: row.api_key !== null,
        catalog,
        prices,
        models,
      };
    });
  };
  // In local mode a change holds for every request that begins after its response.
  if (ctx.env.ENVIRONMENT === "local") {
    return read();
  }
  const source = {
    nowMs: () => ctx.nowMs(),
    waitUntil: (work: Promise<unknown>) => ctx.waitUntil(work),
    read,
  };
  return (await cache.get(workspaceId, source)) ?? [];
}

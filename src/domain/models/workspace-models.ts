import { SAMPLE_PROVIDER_ID, WORKERS_AI_PROVIDER_ID } from "../../contracts/models/provider.ts";
import { RefreshingCache } from "../../lib/memory/refreshing-cache.ts";
import { MODEL_CAPABILITIES } from "../../contracts/models/model.ts";
import type { AppContext, CallerContext } from "../../platform/context.ts";
import type { Env } from "../../platform/env.ts";
import { environmentProviders } from "../../platform/environment-providers.ts";
import { CALLABLE } from "../../providers/callable.ts";
import { modelConfigurationFor } from "../../storage/d1/model-default-store.ts";
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

/** What operators configured for a workspace. */
interface Configuration {
  readonly providers: readonly ConfiguredProvider[];
  readonly overrides: DefaultOverrides;
}

const cache = new RefreshingCache<Configuration>(CACHE_LIMITS.providers);

/** Clears this isolate's cache after a change by the operator. */
export function forgetProviders(): void {
  cache.clear();
}

/** The models that the workspace of a request can use; a change by the operator holds within 30 s. */
export async function workspaceModels(
  ctx: Pick<CallerContext, "env" | "principal" | "nowMs" | "waitUntil">,
): Promise<WorkspaceModels> {
  return modelsFrom(ctx, await configuration(ctx, ctx.principal.workspaceId));
}

/** The models that a workspace can use, as they are configured now. */
export async function currentModels(
  ctx: Pick<AppContext, "env">,
  workspaceId: string,
): Promise<WorkspaceModels> {
  return modelsFrom(ctx, await readConfiguration(ctx, workspaceId));
}

function modelsFrom(
  { env }: Pick<AppContext, "env">,
  { providers, overrides }: Configuration,
): WorkspaceModels {
  const usable = usableProviders(providers, standingProviders(env));
  return { available: availableModels(usable, CALLABLE), overrides };
}

async function configuration(
  ctx: Pick<AppContext, "env" | "nowMs" | "waitUntil">,
  workspaceId: string,
): Promise<Configuration> {
  const read = () => readConfiguration(ctx, workspaceId);
  // In local mode a change holds for every request that begins after its response.
  if (ctx.env.ENVIRONMENT === "local") {
    return read();
  }
  const source = {
    nowMs: () => ctx.nowMs(),
    waitUntil: (work: Promise<unknown>) => ctx.waitUntil(work),
    read,
  };
  return (await cache.get(workspaceId, source)) ?? { providers: [], overrides: new Map() };
}

async function readConfiguration(
  { env }: Pick<AppContext, "env">,
  workspaceId: string,
): Promise<Configuration> {
  const { providers, defaults } = await modelConfigurationFor(env, workspaceId);
  return {
    providers: [
      ...ofEnvironment(env),
      ...providers.map((row): ConfiguredProvider => {
        const { base_url: baseUrl, catalog, prices, models, enabled } = readSettings(row);
        return {
          id: row.id,
          kind: kindOf(row),
          scope: row.workspace_id === "" ? "system" : "workspace",
          isEnabled: enabled,
          hasKey: row.api_key !== null,
          baseUrl,
          catalog,
          prices,
          models,
        };
      }),
    ],
    // A capability that this release does not know any more has no effect.
    overrides: new Map(
      defaults.flatMap(({ capability, model }) => {
        const known = MODEL_CAPABILITIES.find((each) => each === capability);
        return known === undefined ? [] : [[known, model] as const];
      }),
    ),
  };
}

function ofEnvironment(env: Env): readonly ConfiguredProvider[] {
  return environmentProviders(env).map(({ id, kind, catalog, prices, models, ...settings }) => ({
    id,
    kind,
    scope: "environment",
    isEnabled: settings.enabled,
    hasKey: typeof settings.api_key === "string",
    baseUrl: settings.base_url,
    catalog,
    prices,
    models,
  }));
}

import * as z from "zod";
import {
  type Provider,
  type ProviderModel,
  PROVIDER_KINDS,
  type ProviderKind,
} from "../../contracts/models/provider.ts";
import type { EnvironmentProvider } from "../../platform/environment-providers.ts";
import type { ProviderRow } from "../../storage/d1/provider-store.ts";
import type { ModelPrices } from "../models/usable-provider.ts";

/** The first format of `settings`. */
export const SETTINGS_FORMAT = 1;

/** `settings` of a stored provider: what it is configured with, without its secrets. */
export interface StoredProvider {
  readonly format: typeof SETTINGS_FORMAT;
  readonly base_url: string | null;
  readonly enabled: boolean;
  readonly catalog: "openai" | null;
  readonly prices: ModelPrices;
  readonly models: readonly ProviderModel[];
  readonly max_concurrency: number;
  readonly max_concurrency_per_workspace: number;
  readonly header_names: readonly string[];
}

const Format = z.looseObject({ format: z.literal(SETTINGS_FORMAT) });
const Kind = z.enum(PROVIDER_KINDS);

/** The settings were validated when they were stored; only their format is checked. */
export function readSettings(row: ProviderRow): StoredProvider {
  // A loose object has the other members untyped.
  return Format.parse(JSON.parse(row.settings)) as unknown as StoredProvider;
}

export function kindOf(row: ProviderRow): ProviderKind {
  return Kind.parse(row.kind);
}

/** A stored provider as the operator API shows it: with the names of its headers, and whether it has a key. */
export function describeProvider(row: ProviderRow): Provider {
  const { format: _format, header_names: headerNames, ...settings } = readSettings(row);
  const at = (ms: number) => new Date(ms).toISOString();
  return {
    id: row.id,
    kind: kindOf(row) as Provider["kind"],
    scope: row.workspace_id === "" ? "system" : "workspace",
    ...settings,
    models: [...settings.models],
    prices: settings.prices as Provider["prices"],
    has_api_key: row.api_key !== null,
    api_key_updated_at: row.api_key_updated_at_ms === null ? null : at(row.api_key_updated_at_ms),
    header_names: [...headerNames],
    created_at: at(row.created_at_ms),
    updated_at: at(row.updated_at_ms),
  };
}

/** A provider of the secret `AI_PROVIDERS` in the same way. */
export function describeEnvironmentProvider(provider: EnvironmentProvider): Provider {
  const { id, kind, base_url, enabled, catalog, prices, models, api_key, headers } = provider;
  return {
    id,
    kind,
    scope: "environment",
    base_url,
    enabled,
    catalog,
    prices,
    models,
    max_concurrency: provider.max_concurrency,
    max_concurrency_per_workspace: provider.max_concurrency_per_workspace,
    has_api_key: typeof api_key === "string",
    api_key_updated_at: null,
    header_names: Object.keys(headers ?? {}),
    created_at: null,
    updated_at: null,
  };
}

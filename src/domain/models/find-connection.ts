import type { ProviderKind } from "../../contracts/provider.ts";
import { NodeError } from "../../lib/node-error.ts";
import {
  type EnvironmentProvidersEnv,
  environmentProviders,
} from "../../platform/environment-providers.ts";
import { openSecret, type SecretPlace } from "../../platform/provider-secrets.ts";
import { type ProviderRow, providersFor } from "../../storage/d1/provider-store.ts";
import { kindOf, readSettings } from "../providers/stored-provider.ts";

/** How a provider is called. */
export interface FoundConnection {
  readonly kind: ProviderKind;
  readonly baseUrl: string;
  readonly apiKey: string | null;
  readonly headers: Readonly<Record<string, string>>;
}

interface ConnectionEnv extends EnvironmentProvidersEnv {
  readonly DB: D1Database;
  readonly PROVIDER_KEYS_SECRET?: string;
}

/**
 * The provider of this id as it is configured for a workspace, whose own entry replaces the system's, which replaces the
 * environment's. Undefined if there is none, if it is disabled, or if it has no address. Throws NodeError `PROVIDER_AUTH_FAILED` if its stored key or headers
 * cannot be decrypted.
 */
export async function findConnection(
  env: ConnectionEnv,
  workspaceId: string,
  id: string,
): Promise<FoundConnection | undefined> {
  const row = await rowOf(env, workspaceId, id);
  if (row === undefined) {
    return ofEnvironment(env, id);
  }
  const { enabled, base_url: baseUrl } = readSettings(row);
  if (!enabled || baseUrl === null) {
    return undefined;
  }
  const [apiKey, headers] = await Promise.all([
    opened(env, row, "api_key"),
    opened(env, row, "headers"),
  ]);
  return {
    kind: kindOf(row),
    baseUrl,
    apiKey,
    headers: headers === null ? {} : (JSON.parse(headers) as Record<string, string>),
  };
}

function ofEnvironment(env: ConnectionEnv, id: string): FoundConnection | undefined {
  const found = environmentProviders(env).find((provider) => provider.id === id);
  return found?.enabled === true && found.base_url !== null
    ? {
        kind: found.kind,
        baseUrl: found.base_url,
        apiKey: found.api_key ?? null,
        headers: found.headers ?? {},
      }
    : undefined;
}

/** Whether an operator switched off the provider of this id for a workspace. */
export async function isDisabled(
  env: ConnectionEnv,
  workspaceId: string,
  id: string,
): Promise<boolean> {
  const row = await rowOf(env, workspaceId, id);
  return row === undefined
    ? environmentProviders(env).some((provider) => provider.id === id && !provider.enabled)
    : !readSettings(row).enabled;
}

async function rowOf(
  { DB }: ConnectionEnv,
  workspaceId: string,
  id: string,
): Promise<ProviderRow | undefined> {
  const rows = (await providersFor(DB, workspaceId)).filter((row) => row.id === id);
  return rows.find((one) => one.workspace_id !== "") ?? rows[0];
}

async function opened(
  { PROVIDER_KEYS_SECRET: secret = "" }: ConnectionEnv,
  row: ProviderRow,
  field: SecretPlace["field"],
): Promise<string | null> {
  const sealed = row[field];
  if (sealed === null) {
    return null;
  }
  const isOfWorkspace = row.workspace_id !== "";
  const place: SecretPlace = {
    scope: isOfWorkspace ? "workspace" : "system",
    workspaceId: isOfWorkspace ? row.workspace_id : null,
    providerId: row.id,
    field,
  };
  const text = await openSecret(secret, place, sealed);
  if (text === undefined) {
    throw new NodeError(
      "PROVIDER_AUTH_FAILED",
      "The operator's key for the provider cannot be read. The operator stores it again.",
    );
  }
  return text;
}

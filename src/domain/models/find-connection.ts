import type { GateLimits } from "../../contracts/models/provider-gate.ts";
import type { ProviderKind } from "../../contracts/models/provider.ts";
import { NodeError } from "../../lib/errors/node-error.ts";
import {
  type EnvironmentProvidersEnv,
  environmentProviders,
} from "../../platform/environment-providers.ts";
import { createLogger } from "../../platform/logger.ts";
import { openSecret, type SecretPlace } from "../../platform/provider-secrets.ts";
import { type Databases, requireAllShards } from "../../storage/d1/databases.ts";
import { type ProviderRow, providersFor } from "../../storage/d1/provider-store.ts";
import { kindOf, readSettings } from "../providers/stored-provider.ts";

/** How a provider is called. */
export interface FoundConnection {
  readonly kind: ProviderKind;
  readonly baseUrl: string;
  readonly apiKey: string | null;
  readonly headers: Readonly<Record<string, string>>;
  /** Whose configuration it is; the environment's counts as the system's. */
  readonly scope: "system" | "workspace";
  readonly limits: GateLimits;
}

/** The same for any provider; one that is called through a binding has no address. */
export interface StoredConnection extends Omit<FoundConnection, "baseUrl"> {
  readonly baseUrl: string | null;
}

interface ConnectionEnv extends EnvironmentProvidersEnv, Databases {
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
  const found = readSettings(row).enabled ? await connectionOfRow(env, row) : undefined;
  return found === undefined ? undefined : withAddress(found);
}

/** The provider of this id in one scope: of a workspace, or of the system (null). It may be disabled. Throws the same. */
export async function storedConnection(
  env: ConnectionEnv,
  workspaceId: string | null,
  id: string,
): Promise<StoredConnection | undefined> {
  const rows = await providersFor(env, workspaceId ?? "");
  const row = rows.find((one) => one.id === id && one.workspace_id === (workspaceId ?? ""));
  return row !== undefined
    ? await connectionOfRow(env, row)
    : workspaceId === null
      ? connectionOfEnvironment(env, id)
      : undefined;
}

function withAddress(found: StoredConnection): FoundConnection | undefined {
  const { baseUrl } = found;
  return baseUrl === null ? undefined : { ...found, baseUrl };
}

async function connectionOfRow(env: ConnectionEnv, row: ProviderRow): Promise<StoredConnection> {
  const settings = readSettings(row);
  const { base_url: baseUrl } = settings;
  const [apiKey, headers] = await Promise.all([
    opened(env, row, "api_key"),
    opened(env, row, "headers"),
  ]);
  return {
    kind: kindOf(row),
    baseUrl,
    apiKey,
    headers: headers === null ? {} : (JSON.parse(headers) as Record<string, string>),
    scope: row.workspace_id === "" ? "system" : "workspace",
    limits: limitsOf(settings),
  };
}

function ofEnvironment(env: ConnectionEnv, id: string): FoundConnection | undefined {
  const isEnabled = environmentProviders(env).some((each) => each.id === id && each.enabled);
  const found = isEnabled ? connectionOfEnvironment(env, id) : undefined;
  return found === undefined ? undefined : withAddress(found);
}

function connectionOfEnvironment(env: ConnectionEnv, id: string): StoredConnection | undefined {
  const found = environmentProviders(env).find((provider) => provider.id === id);
  return (
    found && {
      kind: found.kind,
      baseUrl: found.base_url,
      apiKey: found.api_key ?? null,
      headers: found.headers ?? {},
      scope: "system" as const,
      limits: limitsOf(found),
    }
  );
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

function limitsOf(settings: {
  readonly max_concurrency: number;
  readonly max_concurrency_per_workspace: number;
}): GateLimits {
  return { all: settings.max_concurrency, each: settings.max_concurrency_per_workspace };
}

async function rowOf(
  env: ConnectionEnv,
  workspaceId: string,
  id: string,
): Promise<ProviderRow | undefined> {
  const rows = (await providersFor(env, workspaceId)).filter((row) => row.id === id);
  const own = rows.find((one) => one.workspace_id !== "");
  if (own === undefined && workspaceId !== "") {
    // The workspace's own entry may be on a shard that is missing here, and may be disabled.
    await requireAllShards(env);
  }
  return own ?? rows[0];
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
    // The callers' error must not name the configuration; without this line only they would notice a lost secret.
    createLogger({ service: "edgeloom" }).error("provider.key_unreadable", {
      provider: row.id,
      workspace_id: place.workspaceId,
      field,
      secret: "PROVIDER_KEYS_SECRET",
      is_set: secret !== "",
    });
    throw new NodeError(
      "PROVIDER_AUTH_FAILED",
      "The operator's key for the provider cannot be read. The operator stores it again.",
    );
  }
  return text;
}

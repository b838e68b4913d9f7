import { SAMPLE_PROVIDER_ID } from "../../contracts/provider.ts";
import { findConnection } from "../../domain/models/find-connection.ts";
import type { TaskEnv } from "../../platform/env.ts";
import { findProvider } from "../../providers/providers.ts";
import type { ConfiguredProvider } from "./model-tools.ts";

/** The provider of this id for a workspace, undefined if there is none (any more) that this release can call. */
export async function configuredProvider(
  env: TaskEnv,
  workspaceId: string,
  id: string,
): Promise<ConfiguredProvider | undefined> {
  const connection = await findConnection(env, workspaceId, id);
  if (connection !== undefined) {
    const provider = findProvider(connection.kind);
    return provider && { provider, connection };
  }
  const provider = id === SAMPLE_PROVIDER_ID ? findProvider("sample") : undefined;
  return provider && { provider, connection: null };
}

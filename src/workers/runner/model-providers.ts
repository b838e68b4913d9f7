import { SAMPLE_PROVIDER_ID, WORKERS_AI_PROVIDER_ID } from "../../contracts/models/provider.ts";
import { findConnection, isDisabled } from "../../domain/models/find-connection.ts";
import { RecentReads } from "../../lib/recent-reads.ts";
import type { TaskEnv } from "../../platform/env.ts";
import { findProvider } from "../../providers/providers.ts";
import type { ConfiguredProvider, ProviderParts } from "./reach-jobs.ts";

/** The bindings and variables that a call of a provider needs. */
export type AskingEnv = Omit<TaskEnv, "EXECUTOR" | "FILES" | "RUN">;

/** Of a provider without a configuration (docs/contract/models.md#providers). */
const DEFAULT_LIMITS = { all: 16, each: 8 };

/** The provider of this id for a workspace, undefined if there is none (any more) that this release can call. */
export async function configuredProvider(
  env: AskingEnv,
  workspaceId: string,
  id: string,
): Promise<ConfiguredProvider | undefined> {
  const connection = await findConnection(env, workspaceId, id);
  if (connection !== undefined) {
    const provider = findProvider(connection.kind);
    const { scope, limits } = connection;
    const name = scope === "system" ? `system/${id}` : `workspace/${workspaceId}/${id}`;
    return provider && { provider, connection, gate: { name, limits } };
  }
  const kind = await standingKind(env, workspaceId, id);
  const provider = kind && findProvider(kind);
  // The embedded provider takes no places: its work is bounded by the executors' memory.
  const gate = kind === "sample" ? null : { name: `system/${id}`, limits: DEFAULT_LIMITS };
  return provider && { provider, connection: null, gate };
}

/** Tasks of one run in one executor object use what one of them has read for this long. */
const SHARED_MS = 1_000;

const reads = new WeakMap<object, RecentReads<ConfiguredProvider | undefined>>();

/**
 * `configuredProvider` for the tasks of one run in one executor object, which share what one of them has read: a fan-out would
 * spend much of its time on reads of the database otherwise. A run that is submitted after a change finds it, because all that is
 * read for the run is read after its submit.
 */
export function providersOf(executor: object, runId: string): ProviderParts["findProvider"] {
  const recent = reads.get(executor) ?? new RecentReads(SHARED_MS);
  reads.set(executor, recent);
  return (env, workspaceId, id) =>
    recent.get(`${runId}/${workspaceId}/${id}`, Date.now(), () =>
      configuredProvider(env, workspaceId, id),
    );
}

/** The kind of a provider that needs no configuration, if it is there and not switched off. */
async function standingKind(
  env: AskingEnv,
  workspaceId: string,
  id: string,
): Promise<"sample" | "workers_ai" | undefined> {
  if (id === SAMPLE_PROVIDER_ID) {
    return "sample";
  }
  const isThere = id === WORKERS_AI_PROVIDER_ID && env.AI !== undefined;
  return isThere && !(await isDisabled(env, workspaceId, id)) ? "workers_ai" : undefined;
}

/** The jobs of a call's provider, for polls and cancellations: with the connection and the gate that its workspace has. */
import type { TaskCall } from "../../nodes/define-tools.ts";
import type { TaskEnv } from "../../platform/env.ts";
import { REQUEST_TIMEOUT_MS } from "../../providers/model-entry.ts";
import { type CallScope, type Connection, providerIo } from "../../providers/provider-io.ts";
import type { OpenPicture, Provider } from "../../providers/provider.ts";
import { cancelJobsOf, type Reach } from "./cancel-jobs.ts";
import { type GateOfProvider, type GateScope, taskGate } from "./model-gate.ts";

/** A provider as it is configured for a workspace; its connection is null for one that needs none. */
export interface ConfiguredProvider {
  readonly provider: Provider;
  readonly connection: Connection | null;
  /** Null for a provider without limits. */
  readonly gate: GateOfProvider | null;
}

/** How a provider is found, and pictures for it are opened. */
export interface ProviderParts {
  /** Undefined if the workspace has no such provider any more. */
  readonly findProvider: (
    env: TaskEnv,
    workspaceId: string,
    id: string,
  ) => Promise<ConfiguredProvider | undefined>;
  readonly openPicture: OpenPicture;
  readonly pixels: WebAssembly.Module;
}

/** What is told of the answers to the calls of one attempt. */
export interface Answers extends Required<Pick<CallScope, "holding" | "onResponse">> {
  /** Of the last response. */
  requestId: string | null;
}

/** Reaches the jobs of a provider by its id; undefined if the workspace has no such provider with jobs any more. */
export function reachJobs(
  { findProvider, openPicture, pixels }: ProviderParts,
  env: TaskEnv,
  of: GateScope & { readonly task: Pick<TaskCall, "key"> },
  answers: Partial<Answers> = {},
): Reach {
  const { workspaceId, task } = of;
  return async (providerId, signal) => {
    const found = await findProvider(env, workspaceId, providerId);
    const jobs = found?.provider.jobs;
    if (found === undefined || jobs === undefined) {
      return undefined;
    }
    // A request's own time limit says nothing about the job.
    const scope = {
      key: task.key,
      attempt: 1,
      signal,
      timeoutMs: REQUEST_TIMEOUT_MS,
      openPicture,
      pixels,
      ...answers,
    };
    return {
      jobs,
      io: providerIo(env, found.provider, found.connection, scope),
      gate: found.gate === null ? null : taskGate(env.PROVIDER_GATE, found.gate, of),
    };
  };
}

/** Cancels the jobs of a call that its run has given up. Never throws. */
export function giveUpJobs(
  parts: ProviderParts,
  env: TaskEnv,
  workspaceId: string,
  token: string,
): Promise<void> {
  const nobody = { workspaceId, runId: "", taskId: 0, task: { key: "given-up" } };
  return cancelJobsOf(token, reachJobs(parts, env, nobody));
}

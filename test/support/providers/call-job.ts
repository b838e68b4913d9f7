/** Calls of a provider that works in jobs, as tasks make them, against a scripted server. */
import type { MadePicture, ReferencedModel } from "../../../src/contracts/models/model-calls.ts";
import type { ModelEntry } from "../../../src/providers/model-entry.ts";
import { providerIo } from "../../../src/providers/provider-io.ts";
import type { JobCall, JobProvider, Provider } from "../../../src/providers/provider.ts";
import type { TaskJobs } from "../../../src/workers/runner/model-jobs.ts";
import { TaskHistory } from "./task-history.ts";
import { imageCodecs } from "../images/wasm-modules.ts";

export interface JobTarget {
  readonly provider: Provider;
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Host of the base address, which loopback rules admit. */
  readonly host: string;
  /** Host that callers may name. */
  readonly allowed: string;
}

/** A task whose calls reach this provider. */
export function newTaskOf({ provider, baseUrl, apiKey, host, allowed }: JobTarget): TaskHistory {
  const history: TaskHistory = new TaskHistory((_id, signal) => {
    const { jobs } = provider;
    const io = providerIo(
      {
        ENVIRONMENT: "local",
        PROVIDERS_ALLOW_LOOPBACK: host,
        EGRESS_ALLOW_LOOPBACK: allowed,
      },
      provider,
      { baseUrl, apiKey, headers: {} },
      {
        key: "el-1",
        attempt: history.attempt,
        signal,
        timeoutMs: 5_000,
        openPicture: () => Promise.reject(new Error("no pictures here")),
        pixels: imageCodecs.pixels,
      },
    );
    return Promise.resolve(jobs && { jobs, io, gate: null });
  });
  return history;
}

/** A built-in model as a run refers to it. */
export function referencedEntry(entries: readonly ModelEntry[], slug: string): ReferencedModel {
  const entry = entries.find(({ model }) => model === slug);
  if (entry === undefined) {
    throw new Error(`no ${slug}`);
  }
  return { ...entry, provider: "own", parameters: [] } as unknown as ReferencedModel;
}

/** The work of a task that makes one thing with one call. */
export function oneJob<R, M>(
  findCall: (calls: JobProvider["calls"]) => JobCall<R, M> | undefined,
  provider: Provider,
  model: ReferencedModel,
  request: R,
): {
  readonly fetched: (read: (made: M) => Promise<unknown>) => (jobs: TaskJobs) => Promise<unknown>;
} {
  const call = provider.jobs && findCall(provider.jobs.calls);
  if (call === undefined) {
    throw new Error("no such call");
  }
  return {
    fetched: (read) => (jobs) =>
      jobs.remembering("a", async () =>
        read(await jobs.of("a", model, call, () => Promise.resolve(request)).fetch()),
      ),
  };
}

export async function pictureBytes({ bytes }: Pick<MadePicture, "bytes">): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of bytes instanceof Uint8Array ? [bytes] : bytes) {
    pieces.push(piece.slice());
  }
  return Buffer.concat(pieces);
}

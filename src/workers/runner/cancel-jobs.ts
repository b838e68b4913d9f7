/** Jobs of providers as a token has them: where they are asked for, and how they are cancelled. */
import { NodeError } from "../../lib/errors/node-error.ts";
import { type CallState, decodeCalls, type SubmittedJob } from "../../providers/job-token.ts";
import type { Job, JobProvider, ProviderIo } from "../../providers/provider.ts";
import type { TaskGate } from "./model-gate.ts";

/** A provider of jobs, and what a call reaches of it. */
export interface Reached {
  readonly jobs: JobProvider;
  readonly io: ProviderIo;
  readonly gate: TaskGate | null;
}

/** The provider of jobs with this id; its requests end with `signal`. Undefined if there is none any more. */
export type Reach = (providerId: string, signal: AbortSignal) => Promise<Reached | undefined>;

/** Cancels every job of a token that still works. Never throws. */
export async function cancelJobsOf(token: string, reach: Reach): Promise<void> {
  let calls: ReadonlyMap<string, CallState>;
  try {
    ({ calls } = decodeCalls(token));
  } catch {
    // The token of another kind of wait, or of a later release.
    return;
  }
  await cancelJobs(calls.values(), reach);
}

export async function cancelJobs(calls: Iterable<CallState>, reach: Reach): Promise<void> {
  const open = [...calls].flatMap(({ job }) => (job === null || job.isDone ? [] : [job]));
  await Promise.all(open.map((job) => cancelJob(job, reach)));
}

export async function cancelJob(known: SubmittedJob, reach: Reach): Promise<void> {
  try {
    // Not with the signal of the task, which may be the reason of the cancel.
    const reached = await reach(known.provider, new AbortController().signal);
    if (reached === undefined) {
      return;
    }
    const { jobs, io, gate } = reached;
    gate?.leave(holderOf(known));
    await cancelRepeatedly(() => jobs.cancel(placed(jobs, io, known), io));
  } catch {
    // It may have ended by itself; otherwise the provider's own limit ends it.
  }
}

/** Pauses before a cancel that failed is repeated. */
const CANCEL_DELAYS_MS = [200, 600, 1_800];

/** Repeats a cancel that may succeed later; throws the last failure. */
async function cancelRepeatedly(cancel: () => Promise<void>): Promise<void> {
  for (const delayMs of CANCEL_DELAYS_MS) {
    try {
      // oxlint-disable-next-line no-await-in-loop -- one cancel after the other
      await cancel();
      return;
    } catch (error) {
      if (!(error instanceof NodeError && error.retryable)) {
        throw error;
      }
      // oxlint-disable-next-line no-await-in-loop -- pauses between the repeats
      await new Promise((resolve) => {
        setTimeout(resolve, delayMs);
      });
    }
  }
  await cancel();
}

/** A job's place at the gate: by its own id, which a token has. */
export function holderOf({ job }: SubmittedJob): string {
  return `job/${job.id}`;
}

export function placed(jobs: JobProvider, io: ProviderIo, { job, remoteModel }: SubmittedJob): Job {
  if (job.status !== "") {
    return job;
  }
  const places = jobs.placesOf({ remoteModel }, job.id);
  return {
    id: job.id,
    status: io.place(null, places.status),
    result: io.place(null, places.result),
    cancel: io.place(null, places.cancel),
  };
}

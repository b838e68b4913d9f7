import { ATTEMPTS_MAX } from "../../../src/engine/step/retry-delay.ts";
import type { TaskCall } from "../../../src/nodes/define-tools.ts";
import { NodeError } from "../../../src/lib/errors/node-error.ts";
import { TaskSuspended } from "../../../src/lib/task-suspended.ts";
import { TaskJobs, type TaskJobsParts } from "../../../src/workers/runner/model-jobs.ts";

/** How a lease ended: `lost` is a worker that reported nothing. */
export type LeaseEnd = { readonly made: unknown } | { readonly waitedMs: number } | NodeError;

/** The run's side of one task, with a clock that only its waits move. */
export class TaskHistory {
  nowMs = 1_700_000_000_000;
  lease = 0;
  attempt = 1;
  token: string | null = null;
  waits = 0;
  readonly repeats: boolean[] = [];
  abort = new AbortController();
  readonly #reach: TaskJobsParts["reach"];

  constructor(reach: TaskJobsParts["reach"]) {
    this.#reach = reach;
  }

  /** Runs one lease. A lost one reports nothing: what it kept is forgotten. */
  async run(
    work: (jobs: TaskJobs) => Promise<unknown>,
    { isLost = false } = {},
  ): Promise<LeaseEnd> {
    this.lease += 1;
    let kept = this.token;
    let waitMs: number | undefined;
    const repeats: boolean[] = [];
    const task: Pick<TaskCall, "attempt" | "keep" | "key" | "lease" | "token" | "wait"> = {
      key: "call",
      attempt: this.attempt,
      lease: this.lease,
      token: this.token,
      keep: (token) => {
        kept = token;
      },
      wait: (token, ms) => {
        kept = token;
        waitMs = ms;
        return new Map<string, never>();
      },
    };
    const jobs = new TaskJobs({
      task,
      signal: this.abort.signal,
      reach: this.#reach,
      nowMs: () => this.nowMs,
      beforeFetch: () => Promise.resolve(),
      onSubmission: (_model, isRepeat) => {
        repeats.push(isRepeat);
      },
    });
    try {
      const made = await work(jobs).finally(() => {
        this.repeats.push(...(isLost ? [] : repeats));
      });
      return isLost ? { waitedMs: 0 } : { made };
    } catch (error) {
      if (isLost) {
        return { waitedMs: 0 };
      }
      this.token = kept;
      if (error instanceof TaskSuspended && waitMs !== undefined) {
        this.waits += 1;
        this.nowMs += Math.max(250, waitMs);
        return { waitedMs: waitMs };
      }
      if (error instanceof NodeError) {
        this.attempt += error.retryable ? 1 : 0;
        return error;
      }
      throw error;
    }
  }

  /** Whether no attempt follows this failure, which `run` has returned. */
  isOver({ retryable }: NodeError): boolean {
    return !retryable || this.attempt > ATTEMPTS_MAX;
  }

  /** Runs leases and attempts until the task has ended: with what it made, or with its last failure. */
  async toEnd(work: (jobs: TaskJobs) => Promise<unknown>, leasesMax = 200): Promise<LeaseEnd> {
    for (let lease = 0; lease < leasesMax; lease += 1) {
      // oxlint-disable-next-line no-await-in-loop -- leases follow each other
      const end = await this.run(work);
      if (end instanceof NodeError ? this.isOver(end) : "made" in end) {
        return end;
      }
    }
    throw new Error(`The task has not ended after ${leasesMax} leases.`);
  }
}

/** The jobs of one task at its providers: submitted once, asked for after waits, fetched, cancelled. */
import { LIMITS } from "../../lib/limits/limits-table.ts";
import { NodeError } from "../../lib/errors/node-error.ts";
import {
  badOutput,
  isAnswerLost,
  knownFailure,
  timedOut,
  unavailable,
  unconfirmed,
} from "../../providers/call-failure.ts";
import {
  cancelJob,
  cancelJobs,
  holderOf,
  placed,
  type Reach,
  type Reached,
} from "./cancel-jobs.ts";
import { keepPlace, pauseAfter, submissionHolder } from "./model-gate.ts";
import { JOB_ID_CHARS_MAX, type SubmittedJob } from "../../providers/job-token.ts";
import { nextPollMs } from "../../providers/poll-times.ts";
import type { Job, JobCall, JobScope } from "../../providers/provider.ts";
import type { ReferencedModel } from "../../contracts/models/model-calls.ts";
import { endsJob, isFailedPoll, isGivenUp, isLostWithRequest } from "./job-failures.ts";
import { KeptCalls, type KeepingTask } from "./kept-calls.ts";

/** The shortest wait, for what may not happen before the token is stored. */
const RECORD_MS = 250;

const FAILED_POLLS_MAX = LIMITS.failed_polls.value;

export interface TaskJobsParts {
  readonly task: KeepingTask;
  readonly signal: AbortSignal;
  readonly reach: Reach;
  readonly nowMs: () => number;
  /** Asks for the memory that a fetched output takes. */
  readonly beforeFetch: () => Promise<void>;
  /** Told of every submission, and whether it repeats one whose answer was lost. */
  readonly onSubmission: (model: Asked, isRepeat: boolean) => void;
}

/** A model that is asked. */
export type Asked = Pick<ReferencedModel, "model" | "provider">;

/** A call that one request answers. */
interface RequestAsk {
  readonly name: string;
  readonly model: Asked;
  /** Whether the provider carries out a repeated request once. */
  readonly isIdempotent: boolean;
}

interface JobAsk<Request, Made> {
  /** Of the call among those of the task, the same in every attempt. */
  readonly name: string;
  readonly model: ReferencedModel;
  readonly call: JobCall<Request, Made>;
  readonly request: () => Promise<Request>;
}

export interface TaskJob<Made> {
  /** Returns once the job has made its output. Throws TaskSuspended until then, or the failure. */
  begin(): Promise<void>;
  /** Begins too; `signal` ends the reading of what was made, that of the task if omitted. */
  fetch(signal?: AbortSignal): Promise<Made>;
}

export class TaskJobs {
  readonly #parts: TaskJobsParts;
  readonly #calls: KeptCalls;
  /** The wait of the first call that could not be submitted any more in this lease, or that was. */
  #submissionWait: { readonly ms: number; readonly isQueued: boolean } | undefined;

  constructor(parts: TaskJobsParts) {
    const { task, signal } = parts;
    this.#parts = parts;
    this.#calls = new KeptCalls(task);
    signal.addEventListener("abort", () => {
      if (isGivenUp(signal)) {
        void this.giveUp();
      }
    });
  }

  /** Rethrows the failure for good of a call of an earlier lease; afterwards the call is asked for again. */
  async remembering<T>(name: string, ask: () => Promise<T>): Promise<T> {
    const { failure } = this.#calls.of(name);
    if (failure !== null) {
      throw knownFailure(failure);
    }
    try {
      return await ask();
    } catch (error) {
      this.#calls.noteFailure(name, error);
      await this.#endJob(name, error);
      throw error;
    }
  }

  /** After the last attempt nobody asks for the job of a call any more, so it is cancelled if it still works. */
  async #endJob(name: string, error: unknown): Promise<void> {
    const { job, failure } = this.#calls.of(name);
    // Other failures for good are the end of the job, or have cancelled it.
    const isLast = failure !== null && error instanceof NodeError && error.retryable;
    if (isLast && job !== null && !job.isDone) {
      this.#calls.set(name, { job: null });
      await this.#cancel(job);
    }
  }

  /** Remembers a failure of a call for its next attempts. */
  noteFailure(name: string, error: unknown): void {
    this.#calls.noteFailure(name, error);
  }

  /** How often a call has exceeded its time limit. */
  timeoutsOf(name: string): number {
    return this.#calls.of(name).timeouts;
  }

  /** Waits for a turn at a provider. Throws TaskSuspended. */
  queue(waitMs: number): never {
    this.#calls.suspend(waitMs, true);
  }

  /**
   * A call that one request answers; `ask` calls its argument when it sends the request. After a lost answer a provider
   * that cannot recognize the repeat is asked once more at most.
   */
  async request<T>(
    { name, model, isIdempotent }: RequestAsk,
    ask: (sends: () => void) => Promise<T>,
  ): Promise<T> {
    if (this.#calls.takeLostWorker()) {
      this.#doubt(name, model);
      if (!isIdempotent && !this.#calls.isUnconfirmedTwice(name)) {
        this.#calls.suspend(RECORD_MS);
      }
    }
    if (!isIdempotent && this.#calls.isUnconfirmedTwice(name)) {
      throw unconfirmed();
    }
    let hasSent = false;
    try {
      return await ask(() => {
        hasSent = true;
        this.#parts.onSubmission(model, this.#calls.of(name).unconfirmed > 0);
      });
    } catch (error) {
      throw hasSent ? this.lost({ name, isIdempotent }, error) : error;
    }
  }

  /**
   * The failure that a call reports for one of its request, which was sent: also for an answer that breaks off after
   * `request` has returned.
   */
  lost({ name, isIdempotent }: Omit<RequestAsk, "model">, error: unknown): unknown {
    if (!(error instanceof NodeError && isLostWithRequest(error))) {
      return error;
    }
    this.#calls.noteLost(name);
    const isFinal = !isIdempotent && this.#calls.isUnconfirmedTwice(name);
    return isFinal && error.retryable ? unconfirmed(error) : error;
  }

  /** A lost worker has perhaps sent a request, and never reported it. */
  #doubt(name: string, model: Asked): void {
    const { unconfirmed: before } = this.#calls.of(name);
    this.#calls.noteLost(name);
    this.#parts.onSubmission(model, before > 0);
  }

  /** Of the job that a call has, for the log. */
  jobIdOf(name: string): string | null {
    return this.#calls.of(name).job?.job.id ?? null;
  }

  /** The job of one call. `name` is that of the call among those of the task, the same in every attempt. */
  of<R, M>(
    name: string,
    model: ReferencedModel,
    call: JobCall<R, M>,
    request: () => Promise<R>,
  ): TaskJob<M> {
    const ask = { name, model, call, request };
    return {
      begin: () => this.#begin(ask),
      fetch: (signal = this.#parts.signal) => this.#fetch(ask, signal),
    };
  }

  async #begin<R, M>(ask: JobAsk<R, M>): Promise<void> {
    const { job } = this.#calls.of(ask.name);
    if (job === null) {
      await this.#submit(ask);
    } else if (!job.isDone) {
      await this.#poll(ask, job);
    }
  }

  async #fetch<R, M>(ask: JobAsk<R, M>, signal: AbortSignal): Promise<M> {
    await this.#begin(ask);
    const { job } = this.#calls.of(ask.name);
    if (job === null) {
      throw new TypeError("A job that was begun is known.");
    }
    const { jobs, io } = await this.#reach(job.provider, signal);
    const output = await jobs.poll(placed(jobs, io, job), io);
    if (output === undefined) {
      throw badOutput("its job works again after it had ended");
    }
    await this.#parts.beforeFetch();
    return await ask.call.read(output, job, io);
  }

  /** Cancels every job that still works. Never throws: the provider ends them by itself, later. */
  giveUp(): Promise<void> {
    return cancelJobs(this.#calls.all(), this.#parts.reach);
  }

  async #submit<R, M>({ name, model, call, request }: JobAsk<R, M>): Promise<void> {
    if (this.#submissionWait !== undefined) {
      // One submission a lease, of the first call without a job: after a lost worker only that one is in doubt.
      const { ms, isQueued } = this.#submissionWait;
      this.#calls.suspend(ms, isQueued);
    }
    if (this.#calls.takeLostWorker()) {
      this.#doubt(name, model);
      if (!this.#calls.isUnconfirmedTwice(name)) {
        // Recorded before anything is submitted, so that it is repeated once.
        this.#suspendSubmission(RECORD_MS);
      }
    }
    if (this.#calls.isUnconfirmedTwice(name)) {
      throw unconfirmed();
    }
    const { signal, nowMs, onSubmission, task } = this.#parts;
    const { jobs, io, gate } = await this.#reach(model.provider, signal);
    const place = submissionHolder(task.key);
    const turnMs = await gate?.enter(place, true);
    if (turnMs !== undefined) {
      this.#suspendSubmission(turnMs, true);
    }
    let input: Awaited<ReturnType<typeof call.inputOf>>;
    // Pictures wait for memory before they are prepared, and files are uploaded.
    const stop = gate === null ? undefined : keepPlace(gate, place);
    try {
      input = await call.inputOf(model, await request(), io);
      signal.throwIfAborted();
    } catch (error) {
      gate?.leave(place);
      throw error;
    } finally {
      stop?.();
    }
    this.#submissionWait = { ms: RECORD_MS, isQueued: false };
    onSubmission(model, this.#calls.of(name).unconfirmed > 0);
    // Its answer is waited for even after an abort: only with the id can the job be cancelled.
    const sending = await this.#reach(model.provider, new AbortController().signal);
    const scope: JobScope = { remoteModel: model.remote_model };
    let job: Job;
    try {
      job = await jobs.submit(scope, input, sending.io);
      this.#check(job);
    } catch (error) {
      gate?.leave(place);
      pauseAfter(error, gate);
      if (isAnswerLost(error)) {
        this.#calls.noteLost(name);
        if (this.#calls.isUnconfirmedTwice(name)) {
          throw unconfirmed(error);
        }
      }
      throw error;
    }
    const submitted: SubmittedJob = {
      job,
      provider: model.provider,
      remoteModel: model.remote_model,
      submittedAtMs: nowMs(),
      polledAtMs: nowMs(),
      polls: 0,
      failedPolls: 0,
      isDone: false,
    };
    const renewed = gate?.renew(holderOf(submitted), { was: place });
    if (isGivenUp(signal)) {
      await this.#cancel(submitted);
      throw signal.reason;
    }
    await renewed;
    this.#calls.set(name, { job: submitted });
    this.#calls.suspend(nextPollMs(0));
  }

  async #poll<R, M>({ name, model }: JobAsk<R, M>, known: SubmittedJob): Promise<void> {
    const { nowMs, signal } = this.#parts;
    const waitedMs = nowMs() - known.polledAtMs;
    const dueMs = nextPollMs(known.polls) - waitedMs;
    // A clock that stepped back makes no job wait longer.
    if (waitedMs >= 0 && dueMs > RECORD_MS / 10) {
      this.#calls.suspend(dueMs);
    }
    const { jobs, io, gate } = await this.#reach(known.provider, signal);
    const pausedMs = (await gate?.renew(holderOf(known), {})) ?? 0;
    if (pausedMs > 0) {
      this.#calls.suspend(pausedMs);
    }
    let failedPolls = 0;
    let retryAfterMs = 0;
    try {
      const output = await jobs.poll(placed(jobs, io, known), io);
      if (output !== undefined) {
        gate?.leave(holderOf(known));
        this.#calls.set(name, { job: { ...known, failedPolls, isDone: true } });
        return;
      }
    } catch (error) {
      if (!(error instanceof NodeError) || signal.aborted) {
        throw error;
      }
      pauseAfter(error, gate);
      if (!isFailedPoll(error)) {
        if (endsJob(error)) {
          gate?.leave(holderOf(known));
        } else {
          await this.#cancel(known);
        }
        throw error;
      }
      failedPolls = known.failedPolls + 1;
      retryAfterMs = error.retryAfterMs ?? 0;
    }
    const polls = known.polls + 1;
    this.#calls.set(name, { job: { ...known, polls, polledAtMs: nowMs(), failedPolls } });
    if (failedPolls >= FAILED_POLLS_MAX) {
      // The next attempt asks for the same job, from the first poll of ten on.
      this.#calls.set(name, { job: { ...known, polls, polledAtMs: nowMs(), failedPolls: 0 } });
      throw unavailable();
    }
    if (nowMs() - known.submittedAtMs > model.timeout_ms) {
      const failure = timedOut(this.#calls.of(name).timeouts + 1);
      if (!failure.retryable) {
        await this.#cancel(known);
      }
      throw failure;
    }
    this.#calls.suspend(Math.max(nextPollMs(polls), retryAfterMs));
  }

  /** The same for a call that has no job yet: no other call is submitted in this lease. */
  #suspendSubmission(ms: number, isQueued = false): never {
    this.#submissionWait = { ms, isQueued };
    this.#calls.suspend(ms, isQueued);
  }

  #cancel(known: SubmittedJob): Promise<void> {
    return cancelJob(known, this.#parts.reach);
  }

  async #reach(providerId: string, signal: AbortSignal): Promise<Reached> {
    const reached = await this.#parts.reach(providerId, signal);
    if (reached === undefined) {
      throw unavailable();
    }
    return reached;
  }

  /** A job with the id of another call of the task would be fetched twice, and paid for once at most. */
  #check({ id }: Job): void {
    const isKnown = [...this.#calls.all()].some(({ job }) => job?.job.id === id);
    if (id === "" || id.length > JOB_ID_CHARS_MAX || isKnown) {
      throw badOutput("its job has an id that cannot be one, or that of another job");
    }
  }
}

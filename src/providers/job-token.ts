/**
 * The text that a task keeps of its calls while the jobs of providers work (docs/contract/models.md#jobs): small enough
 * for a wait's token, versioned, and free of prompts and keys. Pure.
 */
import type { NodeErrorCode } from "../lib/errors/node-error-guides.ts";
import { TaskGivenBack } from "../lib/task-given-back.ts";
import type { Job } from "./provider.ts";

/** Providers' ids have at most 40 characters; four of them must fit into a token. */
export const JOB_ID_CHARS_MAX = 128;

/** A job that was submitted. */
export interface SubmittedJob {
  readonly job: Job;
  /** Id of the operator's provider that has it, and the provider's name of its model. */
  readonly provider: string;
  readonly remoteModel: string;
  readonly submittedAtMs: number;
  /** When it was asked for last. */
  readonly polledAtMs: number;
  readonly polls: number;
  /** Those that failed since the last one that did not. */
  readonly failedPolls: number;
  /** It has ended well; its output was not fetched yet. */
  readonly isDone: boolean;
}

/** What a task knows of one call. */
export interface CallState {
  readonly job: SubmittedJob | null;
  /** Code of the failure for good. */
  readonly failure: NodeErrorCode | null;
  /** Submissions whose answer was lost, so that nobody knows whether there is a job. */
  readonly unconfirmed: number;
  /** Attempts that ended with the time limit of the model. */
  readonly timeouts: number;
}

export interface TaskCalls {
  /** Number of the lease that wrote the token. */
  readonly lease: number;
  /** By name. */
  readonly calls: ReadonlyMap<string, CallState>;
}

export const NEW_CALL: CallState = { job: null, failure: null, unconfirmed: 0, timeouts: 0 };

/** Version 1 had no timeouts. */
const VERSION = 2;

/** Throws RangeError if the token has more than `maxChars` characters. */
export function encodeCalls({ lease, calls }: TaskCalls, maxChars: number): string {
  const encode = (hasPlaces: boolean) =>
    JSON.stringify([
      VERSION,
      lease,
      ...[...calls].map(([name, { job, failure, unconfirmed, timeouts }]) => [
        name,
        failure ?? 0,
        unconfirmed,
        timeouts,
        ...(job === null ? [] : jobFields(job, hasPlaces)),
      ]),
    ]);
  const whole = encode(true);
  // Without the places that an answer named, the documented ones are used.
  const text = whole.length <= maxChars ? whole : encode(false);
  if (text.length > maxChars) {
    throw new RangeError(`The calls of a task take ${text.length} characters.`);
  }
  return text;
}

function jobFields(one: SubmittedJob, hasPlaces: boolean): readonly (string | number)[] {
  const { id, status, result, cancel } = one.job;
  return [
    id,
    one.provider,
    one.remoteModel,
    one.submittedAtMs,
    one.polledAtMs - one.submittedAtMs,
    one.polls,
    one.failedPolls,
    one.isDone ? 1 : 0,
    ...(hasPlaces ? [status, result, cancel] : []),
  ];
}

/** The calls of a token. The places of a job are empty if the token has none. Throws TaskGivenBack for the token of a later release. */
export function decodeCalls(text: string): TaskCalls {
  const [version, lease, ...rows] = JSON.parse(text) as
    | readonly [version: 1, lease: number, ...RowOfVersion1[]]
    | readonly [version: 2, lease: number, ...Row[]];
  switch (version) {
    case 1:
      return {
        lease,
        calls: new Map(
          (rows as readonly RowOfVersion1[]).map(([name, failure, unconfirmed, ...job]) => [
            name,
            decodeCall([failure, unconfirmed, 0, ...job]),
          ]),
        ),
      };
    case VERSION:
      return {
        lease,
        calls: new Map((rows as readonly Row[]).map(([name, ...call]) => [name, decodeCall(call)])),
      };
    default:
      throw new TaskGivenBack("wrong_worker");
  }
}

type Failure = NodeErrorCode | 0;

type RowOfVersion1 = readonly [
  name: string,
  failure: Failure,
  unconfirmed: number,
  ...job: JobRow | [],
];

type Row = readonly [name: string, ...CallRow];

type CallRow = readonly [
  failure: Failure,
  unconfirmed: number,
  timeouts: number,
  ...job: JobRow | [],
];

type JobRow = readonly [
  id: string,
  provider: string,
  remoteModel: string,
  submittedAtMs: number,
  polledSinceMs: number,
  polls: number,
  failedPolls: number,
  isDone: 0 | 1,
  status?: string,
  result?: string,
  cancel?: string,
];

function decodeCall([failure, unconfirmed, timeouts, ...job]: CallRow): CallState {
  const known = { failure: failure === 0 ? null : failure, unconfirmed, timeouts };
  if (job.length === 0) {
    return { ...known, job: null };
  }
  const [id, provider, remoteModel, submittedAtMs, polledSinceMs, polls, failedPolls] = job;
  const [, , , , , , , isDone, status = "", result = "", cancel = ""] = job;
  return {
    ...known,
    job: {
      job: { id, status, result, cancel },
      provider,
      remoteModel,
      submittedAtMs,
      polledAtMs: submittedAtMs + polledSinceMs,
      polls,
      failedPolls,
      isDone: isDone === 1,
    },
  };
}

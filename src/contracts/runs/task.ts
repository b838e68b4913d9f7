/** Messages between a run object and the runner. Every message carries a version `v`. */
import * as z from "zod";
import type { GiveBackReason } from "../../lib/task-given-back.ts";
import type { NodeReference } from "../references.ts";
import type { CacheBounds } from "./run.ts";

/** On the `node-tasks` queue: a hint that a chunk of a run's tasks can be claimed. */
export const NodeTasksMessage = z.strictObject({
  v: z.literal(1),
  workspace_id: z.string(),
  run_id: z.string(),
  /** The executor object, out of those of the workspace, that receives the hint. */
  slot: z.int().min(0),
  chunk: z.int().min(0),
  /**
   * The Worker with the tools that the chunk's tasks need (`task-workers.ts`); the default Worker
   * if absent.
   */
  worker: z.string().min(1).max(40).optional(),
  /**
   * Number of tasks of the workspace that this executor object may hold leases on, by the
   * workspace's plan.
   */
  slot_tasks: z.int().min(1).optional(),
});
export type NodeTasksMessage = z.infer<typeof NodeTasksMessage>;

/** Units of usage. A node declares one of them; see docs/decisions/task-costs.md. */
export const USAGE_UNITS = [
  "request",
  "image",
  "megapixel",
  "page",
  "second",
  "character",
  "token",
] as const;
export type UsageUnit = (typeof USAGE_UNITS)[number];

/** Usage of an element, in its node's unit. */
export interface Usage {
  readonly unit: UsageUnit;
  /** Not negative; fractions are allowed if the unit has them. */
  readonly quantity: number;
}

/** The charge for an element, from its report. The run caps it at the reserved amount. */
export interface ClaimedCharge {
  /** A whole number that is not negative; the run rejects any other value and fails the element. */
  readonly milli_credits: number;
  readonly usage: Usage | null;
}

/** Digests of an element's content (`engine/values/element-digest`). */
export interface ElementDigests {
  readonly inputs: string;
  readonly outputs?: string;
}

/** Maximum length of a waiting task's token, in UTF-16 code units. */
export const WAIT_TOKEN_MAX_CHARS = 2_048;

/** A value as transmitted and stored: a tag, and its payload as JSON text. See `engine/values`. */
export type StoredValue = string;

/** One leased task, as an executor receives it. */
export interface LeasedTask {
  readonly task_id: number;
  readonly fence: number;
  /** From 1. A resumed task keeps the attempt number that it had when it began to wait. */
  readonly attempt: number;
  /** The same for every attempt and every resumption of this call, and of no other call. */
  readonly key: string;
  /** The token of the task's last report that had one. */
  readonly token?: string;
  /** How often executors gave the task back without running it; absent if never. */
  readonly given_back?: number;
  readonly node_id: string;
  readonly node_type: string;
  /** The node's parameters as JSON text, defaults not yet applied. */
  readonly params_json: string;
  /** Input port → stored value, or a list of stored values; absent ports are omitted. */
  readonly inputs: readonly {
    readonly port: string;
    readonly value: StoredValue | readonly StoredValue[];
    /**
     * Of a list that lacks values of its connections: the place of each value among them, from 0. Runs of older code omit this
     * field; their tasks count the places of present values.
     */
    readonly places?: readonly number[];
  }[];
  /** Output ports that no node and no output reads: the task need not create their values. */
  readonly unread_ports?: readonly string[];
  readonly time_limit_ms: number;
  /** Unguessable R2 prefix for the files of this attempt. */
  readonly file_prefix: string;
  /** Positional index of the element on each axis of the node's scope. */
  readonly indices: readonly number[];
  /** [E47] Digest of what the task received: the run has looked for a result by it, and found none. Its own is kept by it. */
  readonly received?: string;
}

/** A call that the run ended while it waited. What it began elsewhere, only its token knows. */
export interface GivenUpCall {
  readonly task_id: number;
  readonly token: string;
}

export interface Claim {
  readonly run_id: string;
  readonly workspace_id: string;
  readonly correlation_id: string;
  readonly lease_ms: number;
  readonly heartbeat_ms: number;
  readonly tasks: readonly LeasedTask[];
  /** How the tasks use the result cache; absent if none does. */
  readonly cache?: ClaimedCache;
  /** The content of the task parameters' references, by node id; absent if there are none. */
  readonly references?: { readonly [nodeId: string]: readonly NodeReference[] };
  /**
   * The run accepts files in reports (docs/decisions/stored-files.md). Runs of older code omit this
   * field, and all their files go to R2.
   */
  readonly takes_files?: boolean;
  /** Calls for the executor to end elsewhere, whatever the chunk; confirmed with `gaveUp`. Absent if there are none. */
  readonly given_up?: readonly GivenUpCall[];
  /**
   * Another workspace uses the thread that run objects and the runner share, so the tasks should
   * leave time for it. Set in local mode only: on Cloudflare, they do not share a thread.
   */
  readonly others_active?: boolean;
}

/** [E41] How the tasks of a claim use the result cache. */
export interface ClaimedCache {
  /** Id of the workflow. */
  readonly workflow: string;
  readonly bounds: CacheBounds;
  /** By node id; others do not use it. */
  readonly nodes: { readonly [nodeId: string]: NodeCache };
}

export interface NodeCache {
  /** The part of the key that the node's elements have in common. */
  readonly definition: string;
  readonly writes: boolean;
  /** Seconds; null for any age. */
  readonly max_age: number | null;
  /** The charge of an element whose report claims none, and the most that any may be charged. */
  readonly milli_credits: number;
}

export type TaskOutcome =
  | {
      readonly kind: "ok";
      readonly outputs: readonly { readonly port: string; readonly value: StoredValue }[];
    }
  | {
      readonly kind: "failed";
      readonly code: string;
      readonly message: string;
      readonly retryable: boolean;
      readonly retry_after_ms: number | null;
      /** For the next attempt, if one follows; at most `WAIT_TOKEN_MAX_CHARS`. */
      readonly token?: string;
    }
  | {
      /**
       * Not finished: the next executor that works on the task receives the token. The lease ends
       * with this report.
       */
      readonly kind: "waiting";
      /** At most `WAIT_TOKEN_MAX_CHARS`. */
      readonly token: string;
      /** Milliseconds from the arrival of the report; the run limits the value. */
      readonly resume_after_ms: number;
      /** It waits for its turn: the node's time limit does not run, and `resume` ends the wait. */
      readonly is_queued?: boolean;
    }
  | {
      /**
       * Not finished, and not because of the task: another executor may run it. Does not count as
       * an attempt.
       */
      readonly kind: "given_back";
      readonly reason: GiveBackReason;
    };

export interface TaskReport {
  readonly task_id: number;
  readonly fence: number;
  readonly duration_ms: number;
  readonly outcome: TaskOutcome;
  /**
   * The charge for the element, if the node reports one. Without it, an element that is `ok` is
   * charged its node's worst case, and a failed one nothing.
   */
  readonly charge?: ClaimedCharge;
  /** Digests of the element's inputs and, if it is `ok`, of its outputs. */
  readonly digests?: ElementDigests;
  /** The outputs are those of an entry of the result cache, and cost nothing. */
  readonly reused?: { readonly execution: string; readonly milli_credits: number };
  /** Of a task that uses the result cache: its outputs depend on what it received alone, and equal elements may take them. */
  readonly is_pure?: boolean;
  /** Of an attempt that did not end well: it has stored files, which nobody will use. */
  readonly stores_files?: boolean;
  /** What this lease asked of models. */
  readonly models?: readonly ModelCalls[];
  /** What the task of a node of video has read and stored. */
  readonly media?: MediaWork;
  /** Pictures in other colors than sRGB that the task has read; without them there were none. */
  readonly picture_colors?: PictureColorCounts;
}

/** Pictures by how their colors were converted to sRGB. */
export interface PictureColorCounts {
  readonly by_profile: number;
  /** CMYK, by each color times black. */
  readonly without_profile: number;
  /** The profile is damaged, too large or of other channels. */
  readonly profile_not_applied: number;
}

/** Files that one element of a node of video has read and stored. */
export interface MediaWork {
  /** Bytes of all files that were read, each counted once. */
  readonly source_bytes: number;
  /** Bytes of all files that were stored. */
  readonly output_bytes: number;
  /** Subtitles that were written; null for a node that writes none. */
  readonly caption_count: number | null;
  /** Whether every MP4 and MOV has its metadata before its data; null if none was stored. */
  readonly faststart: boolean | null;
}

/** Calls of one model. */
export interface ModelCalls {
  /** Id of its provider. */
  readonly provider: string;
  readonly model: string;
  /** Requests that were sent, without polls. */
  readonly calls: number;
  /** Those of them that repeat a submission whose answer was lost. */
  readonly unconfirmed_repeats: number;
}

/** Inputs of one element that an aggregator's task reads, as those of a task. */
export type ElementInputs = LeasedTask["inputs"];

/** Which of an aggregator's elements its task asks for, from 0 or the `next` of the page before. */
export interface ElementsRequest {
  readonly v: 1;
  readonly task_id: number;
  readonly fence: number;
  readonly from: number;
}

/** Some of the elements that an aggregator's task reads; those that are left out or failed are not among them. */
export interface ElementPage {
  readonly elements: readonly ElementInputs[];
  /** The place of each of them among all elements of the result. Runs of older code omit this field. */
  readonly places?: readonly number[];
  /** How many elements count as failed of those that the page looked at. Runs of older code omit this field. */
  readonly failed?: number;
  /** Where the next page begins; null after the last. */
  readonly next: number | null;
}

/** A piece of text of a task in progress, for clients that watch the run. */
export interface EmittedText {
  readonly task_id: number;
  readonly fence: number;
  /** Length of this attempt's text before the piece, in UTF-16 code units. */
  readonly at: number;
  readonly text: string;
}

export interface EmitRequest {
  readonly v: 1;
  readonly texts: readonly EmittedText[];
}

export interface EmitResponse {
  /** Tasks whose text the run knows only in part: send their text from the beginning. */
  readonly resend: readonly number[];
  /**
   * Tasks whose text is not accepted any more: another executor has the lease, or there is no room.
   */
  readonly stop: readonly number[];
}

export interface ReportResponse {
  /** Abandon the remaining tasks of the run. */
  readonly cancel: boolean;
  /**
   * Tasks whose results these reports have settled as ok: not those of leases that no longer hold, nor of an earlier report.
   * Absent if the run has ended; `true`, from runs of an earlier release, names none.
   */
  readonly accepted?: readonly number[] | true;
  /** Same meaning as in a claim. */
  readonly others_active?: boolean;
}

export interface HeartbeatRequest {
  readonly v: 1;
  readonly tasks: readonly { readonly task_id: number; readonly fence: number }[];
  readonly wait_ms?: number;
}

export interface ClaimRequest {
  readonly v: 1;
  readonly chunk: number;
  readonly executor: string;
  /**
   * The worker can read files from rows and packs. Workers of older code omit this field and get no
   * tasks of runs that have such files.
   */
  readonly takes_files?: boolean;
}

/** RPC interface of the run object for the runner. */
export interface RunTasksApi {
  /**
   * Leases the remaining tasks of a chunk. Returns an empty list if all of them are leased,
   * finished or cancelled.
   */
  claim(request: ClaimRequest): Promise<Claim | null>;
  /**
   * Reports with a stale fence have no effect. Returns which of the reporter's tasks to abandon.
   */
  report(request: { v: 1; reports: readonly TaskReport[] }): Promise<ReportResponse>;
  /**
   * Sends pieces of text to clients that watch the run; nothing is stored. A repeated piece has no
   * effect.
   */
  emit(request: EmitRequest): Promise<EmitResponse>;
  /** A page of what the task of an aggregator reads. Null where the lease is another's. */
  elements(request: ElementsRequest): Promise<ElementPage | null>;
  /**
   * Ends the waits of queued tasks. Returns those that were waiting, and null if the run hands out no tasks any more.
   */
  resume(request: {
    readonly v: 1;
    readonly tasks: readonly number[];
  }): Promise<readonly number[] | null>;
  /** Confirms that what these calls of `given_up` had begun elsewhere was ended, or could not be. */
  gaveUp(request: { readonly v: 1; readonly tasks: readonly number[] }): Promise<void>;
  /**
   * Extends leases. With `wait_ms`, the reply is held for at most that time, and sent at once if
   * the run is cancelled.
   */
  heartbeat(request: HeartbeatRequest): Promise<{ cancel: boolean; lost: readonly number[] }>;
}

/** RPC interface of the executor objects. */
export interface ExecutorApi {
  /** Accepts hints; returns for each hint whether it was accepted. */
  accept(hints: readonly NodeTasksMessage[]): Promise<readonly boolean[]>;
}

/** What passes between a run object and the runner. Every message carries `v`. */
import * as z from "zod";
import type { GiveBackReason } from "../lib/task-given-back.ts";
import type { NodeReference } from "./references.ts";

/** On the `node-tasks` queue: a hint that a chunk of a run's tasks is ready to be claimed. */
export const NodeTasksMessage = z.strictObject({
  v: z.literal(1),
  workspace_id: z.string(),
  run_id: z.string(),
  /** Which of the workspace's executor objects takes it. */
  slot: z.int().min(0),
  chunk: z.int().min(0),
  /** The Worker that has what the chunk's tasks need (`task-workers.ts`); the default one when left out. */
  worker: z.string().min(1).max(40).optional(),
  /** Tasks of the workspace that this executor object may hold leases on, by the workspace's plan. */
  slot_tasks: z.int().min(1).optional(),
});
export type NodeTasksMessage = z.infer<typeof NodeTasksMessage>;

/** What usage may be counted in. A node declares one of them; see docs/decisions/task-costs.md. */
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

/** What an element used, in its node's unit. */
export interface Usage {
  readonly unit: UsageUnit;
  /** Not negative; a fraction where the unit has fractions. */
  readonly quantity: number;
}

/** What a report says that its element is charged. The run caps it at what was reserved. */
export interface ClaimedCharge {
  /** Whole and not negative; anything else is refused, and the element fails. */
  readonly milli_credits: number;
  readonly usage: Usage | null;
}

/** Digests of an element's content (`engine/values/element-digest`). */
export interface ElementDigests {
  readonly inputs: string;
  readonly outputs?: string;
}

/** UTF-16 code units that the token of a waiting task may have. */
export const WAIT_TOKEN_MAX_CHARS = 2_048;

/** A value as it travels and is stored: a tag and its payload as JSON text. See `engine/values`. */
export type StoredValue = string;

/** One leased task, as an executor gets it. */
export interface LeasedTask {
  readonly task_id: number;
  readonly fence: number;
  /** From 1. A resumed task goes on with the number that it had when it began to wait. */
  readonly attempt: number;
  /** The same for every attempt and every resumption of this call, and of no other call. */
  readonly key: string;
  /** What the task's last `waiting` said; absent when it has not waited. */
  readonly token?: string;
  readonly node_id: string;
  readonly node_type: string;
  /** The node's parameters as JSON text, defaults not yet applied. */
  readonly params_json: string;
  /** Input port → stored value, or a list of them; absent ports left out. */
  readonly inputs: readonly {
    readonly port: string;
    readonly value: StoredValue | readonly StoredValue[];
  }[];
  /** Output ports that nothing in the run reads: what they would hold need not be made. */
  readonly unread_ports?: readonly string[];
  readonly time_limit_ms: number;
  /** Unguessable prefix in R2 under which this attempt stores its files. */
  readonly file_prefix: string;
  /** Positional index of the element on each axis of the node's scope. */
  readonly indices: readonly number[];
}

export interface Claim {
  readonly run_id: string;
  readonly workspace_id: string;
  readonly correlation_id: string;
  readonly lease_ms: number;
  readonly heartbeat_ms: number;
  readonly tasks: readonly LeasedTask[];
  /** By node id, what the parameters of its tasks refer to; left out where they refer to nothing. */
  readonly references?: { readonly [nodeId: string]: readonly NodeReference[] };
  /** The run takes files in reports (docs/decisions/stored-files.md). One of older code does not say so, and has them all in R2. */
  readonly takes_files?: boolean;
  /**
   * Another workspace is at work on the thread that run objects share with the runner, so its tasks
   * should leave room. Said locally only: on Cloudflare they share none.
   */
  readonly others_active?: boolean;
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
    }
  | {
      /** Not done: whoever works on it next gets the token. The lease ends with this report. */
      readonly kind: "waiting";
      /** At most `WAIT_TOKEN_MAX_CHARS`. */
      readonly token: string;
      /** Milliseconds from the report's arrival; the run keeps it within bounds. */
      readonly resume_after_ms: number;
    }
  | {
      /** Not done, and through no fault of the task's: another executor may do it. Costs no attempt. */
      readonly kind: "given_back";
      readonly reason: GiveBackReason;
    };

export interface TaskReport {
  readonly task_id: number;
  readonly fence: number;
  readonly duration_ms: number;
  readonly outcome: TaskOutcome;
  /**
   * What the element is charged, where the node says it. Without it an element that is `ok` is
   * charged its node's worst case, and one that failed nothing.
   */
  readonly charge?: ClaimedCharge;
  /** Of what the element read, and, where it is `ok`, of what it gives. */
  readonly digests?: ElementDigests;
}

/** A piece of the text of a task in progress, for whoever watches the run. */
export interface EmittedText {
  readonly task_id: number;
  readonly fence: number;
  /** UTF-16 code units of this attempt's text that come before it. */
  readonly at: number;
  readonly text: string;
}

export interface EmitRequest {
  readonly v: 1;
  readonly texts: readonly EmittedText[];
}

export interface EmitResponse {
  /** Tasks whose text the run does not know as far as was assumed: send it from its start. */
  readonly resend: readonly number[];
  /** Tasks whose text is not wanted any more: the lease is another's, or there is no room. */
  readonly stop: readonly number[];
}

export interface ReportResponse {
  /** Abandon what is left of the run's tasks. */
  readonly cancel: boolean;
  /** As in a claim. */
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
  /** The worker reads files from rows and packs. One of older code does not say so, and gets no task of a run that has some. */
  readonly takes_files?: boolean;
}

/** RPC surface of the run object that the runner uses. */
export interface RunTasksApi {
  /** Leases what is still ready of a chunk. Empty when all of it was taken, done or cancelled. */
  claim(request: ClaimRequest): Promise<Claim | null>;
  /** Reports with a stale fence change nothing. Answers which of the reporter's tasks to abandon. */
  report(request: { v: 1; reports: readonly TaskReport[] }): Promise<ReportResponse>;
  /**
   * Shows pieces of text to whoever watches the run; nothing is stored. A piece that was sent before
   * changes nothing.
   */
  emit(request: EmitRequest): Promise<EmitResponse>;
  /**
   * Extends leases. With `wait_ms` the answer is held for at most that long, and comes at once when
   * the run is cancelled.
   */
  heartbeat(request: HeartbeatRequest): Promise<{ cancel: boolean; lost: readonly number[] }>;
}

/** RPC surface of the executor objects. */
export interface ExecutorApi {
  /** Takes hints on; answers of each whether it was taken. */
  accept(hints: readonly NodeTasksMessage[]): Promise<readonly boolean[]>;
}

import type { ElementPage, LeasedTask, TaskReport } from "../../src/contracts/runs/task.ts";
import type { NodeReference, StoredReferences } from "../../src/contracts/references.ts";
import { NodeError } from "../../src/lib/errors/node-error.ts";
import { LIMITS } from "../../src/lib/limits/limits-table.ts";
import { TaskSuspended } from "../../src/lib/task-suspended.ts";
import type { InputPort, NodeOutputs } from "../../src/nodes/define-ports.ts";
import type { NodeType } from "../../src/nodes/define-roles.ts";
import type { TaskEnv } from "../../src/platform/env.ts";
import type { Logger } from "../../src/platform/logger.ts";
import { type HeldRoom, writeTaskFile } from "../../src/storage/r2/write-task-file.ts";
import { elementDigest } from "../../src/engine/values/element-digest.ts";
import { AttemptFiles } from "./attempt-files.ts";
import type { ChunkCache } from "./chunk-cache.ts";
import { CurrentCall } from "./current-call.ts";
import { encodeOutputs, keepFiles } from "./encode-outputs.ts";
import { ElementFeed, PAGE_MEMORY_BYTES } from "./element-feed.ts";
import type { ExecutorParts } from "./executor-parts.ts";
import { failureOutcome } from "./failure-outcome.ts";
import type { UnstoredFile } from "./report-files.ts";
import type { RunningWork } from "./running-work.ts";
import type { TaskAbort } from "./task-abort.ts";
import type { TaskInputs } from "./task-inputs.ts";
import { MEMORY_WAIT_MAX_MS, type TaskMemory } from "./task-slots.ts";

type RunningNode = Extract<NodeType, { role: "transform" | "output" }>;
type InputNode = Extract<NodeType, { role: "input" }>;
/** A node that runs as a task, including inputs whose submitted value is processed first. */
export type TaskNode =
  | RunningNode
  | (InputNode & Required<Pick<InputNode, "run">>)
  | Extract<NodeType, { role: "aggregator"; placement: "task" }>;

export function isTaskNode(node: NodeType): node is TaskNode {
  return (
    node.role === "transform" ||
    node.role === "output" ||
    (node.role === "input" && node.run !== undefined) ||
    (node.role === "aggregator" && node.placement === "task")
  );
}

export interface TaskRun {
  readonly env: TaskEnv;
  readonly parts: ExecutorParts;
  readonly workspaceId: string;
  readonly runId: string;
  /** Stands for the executor object. */
  readonly executor: object;
  readonly node: TaskNode;
  readonly task: LeasedTask;
  readonly inputs: TaskInputs;
  /** Parsed by the node's own schema. */
  readonly params: unknown;
  /** The task's share of the isolate's memory. */
  readonly memory: TaskMemory;
  /** The most that the task may hold besides the values of its inputs. `memory` has less of it for a node that takes it later. */
  readonly ownBytes: number;
  /** The stored resources that the node's parameters refer to. */
  readonly references: readonly NodeReference[];
  /** Memory for files that are stored with the report. */
  readonly room: HeldRoom;
  /** Tracks work that may continue after the outcome. */
  readonly work: RunningWork;
  /** Aborted with the outcome: cancelled, lease lost, time limit exceeded. */
  readonly abort: TaskAbort;
  /** Reads a page of an aggregator's elements; null if another executor holds the lease. */
  readonly readElements: (from: number) => Promise<ElementPage | null>;
  /** The result cache; undefined for a task that does not use it. */
  readonly cache: Pick<ChunkCache, "find" | "forget"> | undefined;
  /** Publishes a piece of the task's text to the run's event streams. */
  readonly emitText: (piece: string) => void;
  readonly log: Logger;
}

/** The result of a task: the part of its report that the task determines. */
export interface TaskResult extends Pick<
  TaskReport,
  "outcome" | "charge" | "digests" | "reused" | "is_pure" | "stores_files" | "models" | "media"
> {
  /** Files of the outcome that are not stored yet. */
  readonly files?: readonly UnstoredFile[];
}

/**
 * Runs one task to its outcome; never throws. An abort ends it at once, whether or not the node observes its signal;
 * charges reported until then are dropped.
 */
export async function runTask(run: TaskRun): Promise<TaskResult> {
  const { task, abort, log } = run;
  const call = new CurrentCall(task, run.emitText);
  const reading: Reading = { feed: undefined, ends: [] };
  const files = new AttemptFiles(run.env.FILES);
  const aborted = new Promise<never>((_resolve, reject) => {
    abort.onAbort(reject);
  });
  try {
    return await Promise.race([
      abort.reason === undefined ? run.work.track(working(run, call, reading, files)) : aborted,
      aborted,
    ]);
  } catch (error) {
    files.end();
    // Any error after the signal fired is a consequence of the abort.
    const outcome = call.withToken(failureOutcome(abort.reason ?? error, task.node_type, log));
    const isOwnWord = abort.reason === undefined && error instanceof NodeError;
    const inputs = inputsDigest(run, reading);
    return {
      outcome,
      ...(isOwnWord ? call.claim(run.node, null) : {}),
      ...(inputs === undefined ? {} : { digests: { inputs } }),
      ...(files.hasStored ? { stores_files: true } : {}),
      ...call.models,
    };
  }
}

/** What a task has read besides its inputs, and what it holds. */
interface Reading {
  feed: ElementFeed | undefined;
  /** To be called when its work has ended. */
  readonly ends: ((isLast: boolean) => void)[];
}

/** [E28] Of what the task has read; undefined before its inputs are loaded. */
function inputsDigest({ inputs: { digest } }: TaskRun, { feed }: Reading): string | undefined {
  return digest === undefined || feed === undefined ? digest : feed.digestWith(digest);
}

async function working(...of: Parameters<typeof work>): Promise<TaskResult> {
  const [{ abort, task }, , { ends }] = of;
  let isLast = false;
  try {
    const result = await work(...of);
    isLast = result.outcome.kind !== "waiting";
    return result;
  } catch (error) {
    isLast = isLastFailure(abort.reason ?? error, task.attempt);
    throw error;
  } finally {
    ends.forEach((end) => {
      end(isLast);
    });
  }
}

/** Whether a failure is certainly the end of its task: others may be retried, or the task is given back. */
function isLastFailure(error: unknown, attempt: number): boolean {
  return (
    error instanceof NodeError &&
    error.code !== "LEASE_LOST" &&
    (!error.retryable || attempt >= LIMITS.attempts.value)
  );
}

async function work(
  run: TaskRun,
  call: CurrentCall,
  reading: Reading,
  files: R2Bucket,
): Promise<TaskResult> {
  const env = withFiles(run.env, files);
  const { parts, workspaceId, node, task, abort, log } = run;
  const unknownBytes = run.inputs.bytes;
  const inputs = await run.inputs.load(env.FILES, workspaceId);
  run.memory.give(unknownBytes - run.inputs.bytes);
  let { ownBytes } = run;
  const allBytes = () => run.inputs.bytes + ownBytes;
  const references = new Map(run.references.map((reference) => [reference.path, reference]));
  const scope = {
    workspaceId,
    runId: run.runId,
    taskId: task.task_id,
    atEnd: (end: (isLast: boolean) => void) => {
      reading.ends.push(end);
    },
    executor: run.executor,
    filePrefix: task.file_prefix,
    unreadPorts: new Set(task.unread_ports),
    get signal() {
      return abort.signal;
    },
    task: call,
    references,
    room: run.room,
    log,
    ownBytes: run.ownBytes - elementPageBytes(node),
    shrinkMemory: (bytes: number) => {
      ownBytes = bytes + elementPageBytes(node);
      run.memory.shrink(allBytes());
    },
    exchangeMemory: (bytes: number, mayGiveBack = false) => {
      ownBytes = bytes + elementPageBytes(node);
      return run.memory.exchange(allBytes(), abort, mayGiveBack ? MEMORY_WAIT_MAX_MS : undefined);
    },
  };
  const feed = node.role === "aggregator" ? elementFeed(run, node, references) : undefined;
  reading.feed = feed;
  const known = await reusedResult(run, feed);
  if (known !== undefined) {
    return known;
  }
  const context = parts.createContext(env, scope, node.needs ?? []);
  let made: NodeOutputs = new Map();
  if (node.role === "aggregator" && feed !== undefined) {
    made = await node.combine(context, feed, inputs, run.params);
  } else if (node.role !== "aggregator") {
    try {
      made = await node.run(context, inputs, run.params as never);
    } catch (error) {
      if (!(error instanceof TaskSuspended && call.waiting !== null)) {
        throw error;
      }
    }
  }
  if (abort.reason !== undefined) {
    throw abort.reason;
  }
  if (call.waiting !== null) {
    // The wait token may contain their keys.
    await storeHeld(env.FILES, workspaceId, run.room);
    return { outcome: call.waiting, ...call.models };
  }
  if (call.hasFetched) {
    // What an address returns may change, so the result belongs to this run alone.
    run.cache?.forget(task.task_id);
  }
  const outputs =
    node.role === "output"
      ? await keepFiles(made, env.FILES, workspaceId, task.file_prefix, run.room)
      : made;
  return {
    ...(await encodeOutputs(outputs, env.FILES, workspaceId, task.file_prefix, run.room)),
    ...call.claim(node, { inputs, params: run.params }),
    ...call.models,
    ...call.mediaOf(node),
    ...call.pictureColors,
    ...(run.cache !== undefined && !call.hasFetched && { is_pure: true }),
    digests: { inputs: inputsDigest(run, reading) ?? "", outputs: elementDigest(outputs) },
  };
}

/** [E33] What an aggregator's task reads. */
function elementFeed(run: TaskRun, node: TaskNode, references: StoredReferences): ElementFeed {
  const { abort, env, workspaceId, memory, readElements, params } = run;
  return new ElementFeed({
    readPage: readElements,
    throwIfAborted: () => {
      if (abort.reason !== undefined) {
        throw abort.reason;
      }
    },
    files: env.FILES,
    workspaceId,
    ports: columnPorts(node, params, references),
    makeRoom: (bytes) => memory.setMore(bytes, abort),
  });
}

/** [E42] The result of an earlier run for a task whose inputs are loaded; undefined if it has to be worked out. */
async function reusedResult(
  run: TaskRun,
  feed: ElementFeed | undefined,
): Promise<TaskResult | undefined> {
  const { cache, task } = run;
  if (cache === undefined) {
    return undefined;
  }
  // Reads all elements, which an aggregator that has to work reads again.
  const elements = feed?.[Symbol.asyncIterator]();
  for (let isMore = elements !== undefined; isMore;) {
    isMore = (await elements?.next())?.done === false;
  }
  const inputs = inputsDigest(run, { feed, ends: [] }) ?? "";
  const entry = await cache.find(task, inputs);
  return entry === null
    ? undefined
    : {
        outcome: { kind: "ok", outputs: entry.outputs },
        digests: { inputs, outputs: entry.digest },
        reused: { execution: entry.execution, milli_credits: entry.milli_credits },
        is_pure: true,
      };
}

/** Files of a waiting task are stored as R2 objects, because nothing of it is reported yet. */
async function storeHeld(bucket: R2Bucket, workspaceId: string, room: HeldRoom): Promise<void> {
  for (const { key, name, contentType, content } of room.files) {
    if (content !== undefined) {
      await writeTaskFile(bucket, workspaceId, { key, name, contentType }, content.bytes);
    }
  }
}

/** The same environment but for its bucket. Made for each attempt, so nothing is copied. */
function withFiles(env: TaskEnv, files: R2Bucket): TaskEnv {
  return Object.create(env, { FILES: { value: files, enumerable: true } }) as TaskEnv;
}

/** What the pages of an aggregator's elements take besides what its node says. */
export function elementPageBytes({ role }: TaskNode): number {
  return role === "aggregator" ? PAGE_MEMORY_BYTES : 0;
}

function columnPorts(node: TaskNode, params: unknown, stored: StoredReferences): InputPort[] {
  const dynamic = node.dynamicPorts?.resolve(params, stored).inputs ?? [];
  return [...node.inputs, ...dynamic].filter((port) => port.once !== true);
}

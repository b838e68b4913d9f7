import type { LeasedTask, TaskReport } from "../../src/contracts/task.ts";
import type { NodeReference } from "../../src/contracts/references.ts";
import { NodeError } from "../../src/lib/node-error.ts";
import type { NodeType } from "../../src/nodes/define-roles.ts";
import type { RunnerEnv } from "../../src/platform/env.ts";
import type { Logger } from "../../src/platform/logger.ts";
import { type HeldRoom, writeTaskFile } from "../../src/storage/r2/write-task-file.ts";
import { elementDigest } from "../../src/engine/values/element-digest.ts";
import { CurrentCall } from "./current-call.ts";
import { encodeOutputs, keepFiles } from "./encode-outputs.ts";
import type { ExecutorParts } from "./executor-parts.ts";
import { failureOutcome } from "./failure-outcome.ts";
import type { UnstoredFile } from "./report-files.ts";
import type { RunningWork } from "./running-work.ts";
import type { TaskAbort } from "./task-abort.ts";
import type { TaskInputs } from "./task-inputs.ts";
import type { TaskMemory } from "./task-slots.ts";

type RunningNode = Extract<NodeType, { role: "transform" | "output" }>;
type InputNode = Extract<NodeType, { role: "input" }>;
/** What runs as a task: also an input whose submitted value is worked on first. */
export type TaskNode = RunningNode | (InputNode & Required<Pick<InputNode, "run">>);

export function isTaskNode(node: NodeType): node is TaskNode {
  return (
    node.role === "transform" ||
    node.role === "output" ||
    (node.role === "input" && node.run !== undefined)
  );
}

export interface TaskRun {
  readonly env: RunnerEnv;
  readonly parts: ExecutorParts;
  readonly workspaceId: string;
  readonly node: TaskNode;
  readonly task: LeasedTask;
  readonly inputs: TaskInputs;
  /** Parsed by the node's own schema. */
  readonly params: unknown;
  /** What the task holds of the isolate's memory. */
  readonly memory: TaskMemory;
  /** What the node's parameters refer to. */
  readonly references: readonly NodeReference[];
  /** For files that are stored with the report. */
  readonly room: HeldRoom;
  /** Told of what goes on, which may be after the outcome. */
  readonly work: RunningWork;
  /** Aborted with what becomes the outcome: cancelled, lease lost, out of time. */
  readonly abort: TaskAbort;
  /** Shows a piece of the task's text to whoever watches the run. */
  readonly emitText: (piece: string) => void;
  readonly log: Logger;
}

/** What a task comes to: the part of its report that it decides itself. */
export interface TaskResult extends Pick<TaskReport, "outcome" | "charge" | "digests"> {
  /** What its outcome lacks until it is stored. */
  readonly files?: readonly UnstoredFile[];
}

/**
 * Runs one task to its outcome; never throws. Ends at once when it is aborted, whether or not the
 * node heeds its signal; what it was charged for by then is not charged.
 */
export async function runTask(run: TaskRun): Promise<TaskResult> {
  const { task, abort, log } = run;
  const call = new CurrentCall(task, run.emitText);
  const aborted = new Promise<never>((_resolve, reject) => {
    abort.onAbort(reject);
  });
  try {
    return await Promise.race([
      abort.reason === undefined ? run.work.track(work(run, call)) : aborted,
      aborted,
    ]);
  } catch (error) {
    // Whatever a node throws after its signal fired follows from the abort.
    const outcome = failureOutcome(abort.reason ?? error, task.node_type, log);
    const isOwnWord = abort.reason === undefined && error instanceof NodeError;
    const inputs = run.inputs.digest;
    return {
      outcome,
      ...(isOwnWord ? call.claim(run.node, null) : {}),
      ...(inputs === undefined ? {} : { digests: { inputs } }),
    };
  }
}

async function work(run: TaskRun, call: CurrentCall): Promise<TaskResult> {
  const { env, parts, workspaceId, node, task, abort, log } = run;
  const unknownBytes = run.inputs.bytes;
  const inputs = await run.inputs.load(env.FILES, workspaceId);
  run.memory.give(unknownBytes - run.inputs.bytes);
  const scope = {
    workspaceId,
    filePrefix: task.file_prefix,
    unreadPorts: new Set(task.unread_ports),
    get signal() {
      return abort.signal;
    },
    task: call,
    references: new Map(run.references.map((reference) => [reference.path, reference])),
    room: run.room,
    log,
    shrinkMemory: (bytes: number) => {
      run.memory.shrink(run.inputs.bytes + bytes);
    },
    exchangeMemory: (bytes: number) => run.memory.exchange(run.inputs.bytes + bytes, abort),
  };
  const context = parts.createContext(env, scope, node.needs ?? []);
  const made = await node.run(context, inputs, run.params as never);
  if (call.waiting !== null) {
    // Its token may name them.
    await storeHeld(env.FILES, workspaceId, run.room);
    return { outcome: call.waiting };
  }
  const outputs =
    node.role === "output"
      ? await keepFiles(made, env.FILES, workspaceId, task.file_prefix, run.room)
      : made;
  return {
    ...(await encodeOutputs(outputs, env.FILES, workspaceId, task.file_prefix, run.room)),
    ...call.claim(node, { inputs, params: run.params }),
    digests: { inputs: run.inputs.digest ?? "", outputs: elementDigest(outputs) },
  };
}

/** Files of a task that waits are objects of R2 while it waits: nothing of it is reported yet. */
async function storeHeld(bucket: R2Bucket, workspaceId: string, room: HeldRoom): Promise<void> {
  for (const { key, name, contentType, content } of room.files) {
    if (content !== undefined) {
      await writeTaskFile(bucket, workspaceId, { key, name, contentType }, content.bytes);
    }
  }
}

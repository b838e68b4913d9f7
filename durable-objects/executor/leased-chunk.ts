import type { Claim, LeasedTask, RunTasksApi } from "../../src/contracts/runs/task.ts";
import { NodeError } from "../../src/lib/errors/node-error.ts";
import { TaskGivenBack } from "../../src/lib/task-given-back.ts";
import { withDeadline } from "../../src/lib/with-deadline.ts";
import { bytesToBegin } from "../../src/nodes/define-tools.ts";
import type { TaskEnv } from "../../src/platform/env.ts";
import type { Logger } from "../../src/platform/logger.ts";
import type { ClaimMemory, ClaimRoom } from "./claim-memory.ts";
import type { ExecutorParts } from "./executor-parts.ts";
import { ChunkCache } from "./chunk-cache.ts";
import { failureOutcome } from "./failure-outcome.ts";
import { GrowingTexts } from "./growing-texts.ts";
import { ReportBatch } from "./report-batch.ts";
import { ReportFiles } from "./report-files.ts";
import { ParsedParams, type PreparedParams } from "./parsed-params.ts";
import {
  elementPageBytes,
  isTaskNode,
  runTask,
  type TaskResult,
  type TaskRun,
} from "./run-task.ts";
import { RunningWork } from "./running-work.ts";
import { TaskAbort } from "./task-abort.ts";
import { TaskRoom } from "./task-room.ts";
import { TaskInputs } from "./task-inputs.ts";
import type { TaskQueue } from "./task-queue.ts";
import type { TaskSlots } from "./task-slots.ts";
import { TimeLimits } from "./time-limits.ts";
import { describeCause } from "../../src/lib/errors/describe-cause.ts";

/** Tasks of one chunk that run at the same time, so that one chunk cannot fill its object. */
export const CHUNK_TASKS_MAX = 16;

/** Most tasks end before their first heartbeat; the others learn of a cancel soon. */
const FIRST_HEARTBEAT_MS = 200;

/** The part of the heartbeat interval for which the run object may delay its response. */
const HELD_FRACTION = 0.8;

export interface ChunkRun {
  readonly env: TaskEnv;
  readonly parts: ExecutorParts;
  readonly slots: TaskSlots;
  readonly claims: ClaimMemory;
  readonly queue: TaskQueue;
  /** Receives the number of leases that the chunk still holds, whenever it decreases. */
  readonly keepLeases: (tasks: number) => void;
  readonly run: RunTasksApi;
  /** Identifies this executor in leases. */
  readonly executor: string;
  readonly log: Logger;
}

/** The leased tasks of one claim: runs them, extends their leases, and reports them. */
export class LeasedChunk {
  readonly #on: ChunkRun;
  readonly #claim: Omit<Claim, "tasks">;
  /** Those that no lane has taken yet. */
  readonly #waiting: LeasedTask[];
  readonly #room: ClaimRoom;
  readonly #log: Logger;
  readonly #reports: ReportBatch;
  readonly #texts: GrowingTexts;
  readonly #files: ReportFiles;
  readonly #cache: ChunkCache;
  readonly #params = new ParsedParams();
  /** Leases to extend: not yet reported, lost or given back. */
  readonly #open: Map<number, Pick<LeasedTask, "task_id" | "fence">>;
  readonly #running = new Map<number, TaskAbort>();
  readonly #limits = new TimeLimits();
  #leaseEndsMs: number;
  #cancelled: NodeError | undefined;
  #heartbeat: ReturnType<typeof setTimeout> | null = null;

  constructor(on: ChunkRun, { tasks, ...claim }: Claim, room: ClaimRoom, claimedAtMs: number) {
    this.#on = on;
    this.#claim = claim;
    this.#waiting = [...tasks];
    this.#room = room;
    this.#leaseEndsMs = claimedAtMs + claim.lease_ms;
    this.#open = new Map(tasks.map(({ task_id, fence }) => [task_id, { task_id, fence }]));
    this.#log = on.log.with({
      correlation_id: claim.correlation_id,
      workspace_id: claim.workspace_id,
      run_id: claim.run_id,
    });
    this.#texts = new GrowingTexts((texts) => on.run.emit({ v: 1, texts }));
    this.#cache = new ChunkCache(on.env, claim, this.#log);
    this.#files = new ReportFiles({
      bucket: on.env.FILES,
      workspaceId: claim.workspace_id,
      runId: claim.run_id,
    });
    this.#reports = new ReportBatch({
      send: async (reports) => {
        const stored = await this.#files.store(reports);
        const response = await on.run.report({ v: 1, reports: stored });
        this.#heed(response.others_active);
        this.#cache.write(stored, response.accepted);
        return response;
      },
      onReported: ({ task_id }) => {
        this.#open.delete(task_id);
      },
      onDropped: ({ task_id }) => {
        this.#log.error("report.dropped", { task_id });
        this.#files.forget(task_id);
        this.#open.delete(task_id);
      },
      onCancel: () => {
        this.#cancel();
      },
      onUnreachable: (error, attempt) => {
        this.#log.error("report.failed", { attempt, cause: describeCause(error) });
        this.#giveUpIfExpired();
      },
    });
  }

  /** While other workspaces are active on this thread, this workspace's tasks leave them a part of it. */
  #heed(isOthersActive: boolean | undefined): void {
    if (isOthersActive === true) {
      this.#on.queue.noteOthers(this.#claim.workspace_id);
    }
  }

  async work(): Promise<void> {
    this.#heed(this.#claim.others_active);
    this.#armHeartbeat(Math.min(this.#claim.heartbeat_ms, FIRST_HEARTBEAT_MS));
    let left = this.#waiting.length;
    const lanes = Math.min(CHUNK_TASKS_MAX, left);
    this.#on.keepLeases(left);
    const lane = async () => {
      for (let task = this.#waiting.shift(); task !== undefined; task = this.#waiting.shift()) {
        await this.#workOn(task);
        this.#room.drop(task);
        left--;
        this.#on.keepLeases(left);
      }
    };
    await Promise.all(Array.from({ length: lanes }, lane));
    await this.#reports.drain();
    await this.#cache.drain();
    this.#files.forgetAll();
    this.#open.clear();
    this.#limits.close();
    if (this.#heartbeat !== null) {
      clearTimeout(this.#heartbeat);
    }
  }

  async #workOn(task: LeasedTask): Promise<void> {
    if (!this.#open.has(task.task_id)) {
      // The lease was lost before the task's turn.
      return;
    }
    const { parts } = this.#on;
    const node = parts.findNode(task.node_type);
    if (node === undefined || !isTaskNode(node) || !parts.hasTools(node.needs ?? [])) {
      // Never failed: another Worker, or a later release of this one, has the missing tools.
      this.#log.error("task.unknown_type", { node_type: task.node_type });
      this.#report(task, 0, { outcome: { kind: "given_back", reason: "wrong_worker" } });
      return;
    }
    const log = this.#log.with({
      node_id: task.node_id,
      task_id: task.task_id,
      attempt: task.attempt,
    });
    let inputs: TaskInputs;
    let prepared: PreparedParams;
    try {
      inputs = new TaskInputs(task.inputs);
      prepared = this.#params.of(node, task);
    } catch (error) {
      this.#report(task, 0, { outcome: failureOutcome(error, task.node_type, log) });
      return;
    }
    // From here on a cancel takes effect, also while the task waits for memory or its turn.
    const abort = new TaskAbort();
    this.#running.set(task.task_id, abort);
    if (this.#cancelled !== undefined) {
      abort.abort(this.#cancelled);
    }
    const { slots } = this.#on;
    const ownBytes = prepared.memoryBytes(inputs.files) + elementPageBytes(node);
    const entered = slots.enter(inputs.bytes + bytesToBegin(node.needs, ownBytes), abort);
    const memory = entered instanceof Promise ? await entered : entered;
    if (memory === undefined) {
      this.#running.delete(task.task_id);
      // Not aborted, so its wait for memory has timed out.
      const cause = abort.reason ?? new TaskGivenBack("no_memory");
      this.#report(task, 0, { outcome: failureOutcome(cause, task.node_type, log) });
      return;
    }
    const work = new RunningWork(() => {
      slots.leave(memory);
    });
    try {
      const isOver = () => abort.reason !== undefined;
      await this.#on.queue.next(this.#claim.workspace_id, isOver);
      const { params } = prepared;
      await this.#run({ task, node, inputs, params, log, memory, ownBytes, work, abort });
    } finally {
      work.leave();
    }
  }

  async #run(
    ready: Omit<
      TaskRun,
      | "env"
      | "parts"
      | "workspaceId"
      | "runId"
      | "executor"
      | "claim"
      | "emitText"
      | "references"
      | "room"
      | "readElements"
      | "cache"
    >,
  ): Promise<void> {
    const { task, abort, memory } = ready;
    const { env, parts } = this.#on;
    const { workspace_id: workspaceId, run_id: runId } = this.#claim;
    this.#limits.start(task.task_id, task.time_limit_ms, () => {
      abort.abort(timeOver(task));
    });
    const startMs = Date.now();
    const room = new TaskRoom(this.#claim.takes_files === true, (bytes) =>
      memory.takeForFile(bytes),
    );
    const emitText = this.#texts.begin(task.task_id, task.fence);
    const known = this.#claim.references ?? {};
    // A node's id may be a name that all objects have.
    const references = Object.hasOwn(known, task.node_id) ? (known[task.node_id] ?? []) : [];
    const result = await runTask({
      ...ready,
      env,
      parts,
      workspaceId,
      runId,
      executor: this.#on.slots,
      emitText,
      references,
      room,
      cache: this.#cache.uses(task) ? this.#cache : undefined,
      readElements: (from) => {
        const { task_id, fence } = task;
        return this.#on.run.elements({ v: 1, task_id, fence, from });
      },
    });
    this.#limits.stop(task.task_id);
    this.#running.delete(task.task_id);
    const durationMs = Date.now() - startMs;
    await this.#texts.end(task.task_id);
    this.#report(task, durationMs, result, room.release);
  }

  #report(
    task: LeasedTask,
    durationMs: number,
    { files = [], ...result }: TaskResult,
    release = () => {},
  ): void {
    if (!this.#open.has(task.task_id)) {
      release();
      return;
    }
    const { task_id, fence } = task;
    this.#files.keep(task_id, files, release);
    this.#reports.add({ task_id, fence, duration_ms: durationMs, ...result }, files.length > 0);
  }

  /** The other tasks of the chunk end now and report it, which settles a cancelled run at once. */
  #cancel(): void {
    this.#cancelled ??= new NodeError(
      "CANCELLED",
      "The run was cancelled before this node finished.",
    );
    for (const abort of this.#running.values()) {
      abort.abort(this.#cancelled);
    }
  }

  /** The task belongs to another executor now, so it ends without a report. */
  #lose(taskId: number): void {
    this.#open.delete(taskId);
    this.#reports.forget(taskId);
    this.#files.forget(taskId);
    this.#running.get(taskId)?.abort(
      new NodeError("LEASE_LOST", "Another executor has taken over this task.", {
        retryable: true,
      }),
    );
  }

  #giveUpIfExpired(): void {
    if (Date.now() < this.#leaseEndsMs) {
      return;
    }
    this.#log.error("leases.lost", { tasks: this.#open.size });
    this.#reports.giveUp();
    for (const taskId of this.#open.keys()) {
      this.#lose(taskId);
    }
  }

  #armHeartbeat(delayMs: number): void {
    if (this.#heartbeat !== null) {
      clearTimeout(this.#heartbeat);
    }
    this.#heartbeat = setTimeout(() => {
      void this.#beat();
    }, delayMs);
  }

  async #beat(): Promise<void> {
    const { heartbeat_ms: everyMs, lease_ms: leaseMs } = this.#claim;
    const tasks = [...this.#open.values()].map(({ task_id, fence }) => ({ task_id, fence }));
    if (tasks.length === 0) {
      return;
    }
    const sentAtMs = Date.now();
    const waitMs = Math.floor(everyMs * HELD_FRACTION);
    let nextMs = everyMs;
    try {
      const beat = this.#on.run.heartbeat({ v: 1, tasks, wait_ms: waitMs });
      const response = await withDeadline(beat, everyMs);
      // A delayed response is followed by the next heartbeat at once; an immediate one is not.
      nextMs = Date.now() - sentAtMs >= waitMs ? 0 : everyMs;
      this.#leaseEndsMs = sentAtMs + leaseMs;
      response.lost.forEach((taskId) => {
        this.#lose(taskId);
      });
      if (response.cancel) {
        this.#cancel();
      }
    } catch (error) {
      this.#log.error("heartbeat.failed", { cause: describeCause(error) });
      this.#giveUpIfExpired();
      nextMs = Math.min(everyMs, 1_000);
    }
    if (this.#open.size > 0) {
      this.#armHeartbeat(nextMs);
    }
  }
}

function timeOver({ node_type, time_limit_ms }: LeasedTask): NodeError {
  return new NodeError(
    "NODE_TIMEOUT",
    `${node_type} did not finish within its limit of ${time_limit_ms} ms. Reduce its work.`,
  );
}

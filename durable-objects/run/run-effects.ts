import type {
  CloseOutcome,
  CloseRequest,
  ReserveOutcome,
} from "../../src/contracts/workspaces/admission.ts";
import { DEFAULT_WORKER } from "../../src/contracts/runs/task-workers.ts";
import type { Env } from "../../src/platform/env.ts";
import { workspaceObject } from "../../src/storage/objects/workspace-object.ts";
import { sendNodeTasks } from "../../src/storage/queues/send-node-tasks.ts";
import type { RunMetadata } from "./live-run.ts";
import { slotOf, taskQuota } from "./tasks/task-quota.ts";
import type { QueuedChunk } from "./blocks/hinted-chunks.ts";

/** Calls of a run object to others. Each may be lost or repeated: the rows record open work. */
export class RunEffects {
  readonly #env: Env;

  constructor(env: Env) {
    this.#env = env;
  }

  /** Sends hints that chunks are ready. A lost hint is sent again if no claim follows. */
  async hint(metadata: RunMetadata, chunks: readonly QueuedChunk[]): Promise<void> {
    const { slots, slotTasks } = taskQuota(metadata.max_outstanding_tasks);
    await sendNodeTasks(
      this.#env,
      chunks.map(({ chunk, worker }) => ({
        v: 1,
        workspace_id: metadata.workspace_id,
        run_id: metadata.run_id,
        slot: slotOf(metadata.run_id, chunk, slots),
        chunk,
        // A runner of an earlier release knows only the default.
        ...(worker === DEFAULT_WORKER ? {} : { worker }),
        slot_tasks: slotTasks,
      })),
    );
  }

  async acknowledge(
    metadata: RunMetadata,
    run: { readonly startedAtMs: number | null; readonly isCancelling: boolean },
  ): Promise<void> {
    await this.#workspace(metadata).acknowledge({
      v: 1,
      run_id: metadata.run_id,
      started_at_ms: run.startedAtMs,
      is_cancelling: run.isCancelling,
    });
  }

  async reserve(
    metadata: RunMetadata,
    seq: number,
    nodeId: string,
    milliCredits: number,
  ): Promise<ReserveOutcome> {
    return this.#workspace(metadata).reserve({
      v: 1,
      run_id: metadata.run_id,
      seq,
      node_id: nodeId,
      milli_credits: milliCredits,
    });
  }

  async settle(metadata: RunMetadata, seq: number, cumulative: number): Promise<void> {
    await this.#workspace(metadata).settle({
      v: 1,
      run_id: metadata.run_id,
      seq,
      cumulative_milli_credits: cumulative,
    });
  }

  async release(metadata: RunMetadata, seq: number, milliCredits: number): Promise<void> {
    await this.#workspace(metadata).release({
      v: 1,
      run_id: metadata.run_id,
      seq,
      milli_credits: milliCredits,
    });
  }

  async close(
    metadata: RunMetadata,
    request: Omit<CloseRequest, "v" | "run_id">,
  ): Promise<CloseOutcome> {
    return this.#workspace(metadata).close({ v: 1, run_id: metadata.run_id, ...request });
  }

  #workspace(metadata: RunMetadata) {
    return workspaceObject({ env: this.#env }, metadata.workspace_id);
  }
}

import type { CloseOutcome, CloseRequest, ReserveOutcome } from "../../src/contracts/admission.ts";
import { DEFAULT_WORKER } from "../../src/contracts/task-workers.ts";
import type { Env } from "../../src/platform/env.ts";
import { workspaceObject } from "../../src/storage/objects/workspace-object.ts";
import { sendNodeTasks } from "../../src/storage/queues/send-node-tasks.ts";
import type { RunFacts } from "./live-run.ts";
import { slotOf, taskShare } from "./task-share.ts";
import type { QueuedChunk } from "./hinted-chunks.ts";

/** Calls out of a run object. Each may be lost or repeated: the rows say what is still to do. */
export class RunEffects {
  readonly #env: Env;

  constructor(env: Env) {
    this.#env = env;
  }

  /** Hints that chunks are ready. A lost hint is sent again when its claim stays away. */
  async hint(facts: RunFacts, chunks: readonly QueuedChunk[]): Promise<void> {
    const { slots, slotTasks } = taskShare(facts.max_outstanding_tasks);
    await sendNodeTasks(
      this.#env,
      chunks.map(({ chunk, worker }) => ({
        v: 1,
        workspace_id: facts.workspace_id,
        run_id: facts.run_id,
        slot: slotOf(facts.run_id, chunk, slots),
        chunk,
        // A runner of an earlier release knows no other than the default.
        ...(worker === DEFAULT_WORKER ? {} : { worker }),
        slot_tasks: slotTasks,
      })),
    );
  }

  async acknowledge(
    facts: RunFacts,
    run: { readonly startedAtMs: number | null; readonly isCancelling: boolean },
  ): Promise<void> {
    await this.#workspace(facts).acknowledge({
      v: 1,
      run_id: facts.run_id,
      started_at_ms: run.startedAtMs,
      is_cancelling: run.isCancelling,
    });
  }

  async reserve(
    facts: RunFacts,
    seq: number,
    nodeId: string,
    milliCredits: number,
  ): Promise<ReserveOutcome> {
    return this.#workspace(facts).reserve({
      v: 1,
      run_id: facts.run_id,
      seq,
      node_id: nodeId,
      milli_credits: milliCredits,
    });
  }

  async settle(facts: RunFacts, seq: number, cumulative: number): Promise<void> {
    await this.#workspace(facts).settle({
      v: 1,
      run_id: facts.run_id,
      seq,
      cumulative_milli_credits: cumulative,
    });
  }

  async release(facts: RunFacts, seq: number, milliCredits: number): Promise<void> {
    await this.#workspace(facts).release({
      v: 1,
      run_id: facts.run_id,
      seq,
      milli_credits: milliCredits,
    });
  }

  async close(facts: RunFacts, request: Omit<CloseRequest, "v" | "run_id">): Promise<CloseOutcome> {
    return this.#workspace(facts).close({ v: 1, run_id: facts.run_id, ...request });
  }

  #workspace(facts: RunFacts) {
    return workspaceObject({ env: this.#env }, facts.workspace_id);
  }
}

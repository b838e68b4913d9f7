import type { Env } from "../../src/platform/env.ts";
import { createLogger, type Logger } from "../../src/platform/logger.ts";
import { WorkflowStore } from "../../src/storage/d1/workflow-store.ts";
import { runObject } from "../../src/storage/objects/run-object.ts";
import { restoreStart } from "../../src/domain/executions/submit/long-start.ts";
import type { WorkspaceStore } from "./workspace-store.ts";
import { withDeadline } from "../../src/lib/with-deadline.ts";
import { describeCause } from "../../src/lib/describe-cause.ts";

/** Calls that the workspace object makes to run objects. Each may be lost or repeated: both are harmless. */
export class WorkspaceEffects {
  readonly #env: Env;
  readonly #store: WorkspaceStore;
  readonly #log: Logger;
  readonly #promoting = new Set<string>();
  /** Where the last pass over promoted runs stopped. */
  #promotedThrough = 0;

  constructor(env: Env, store: WorkspaceStore) {
    this.#env = env;
    this.#store = store;
    this.#log = createLogger({ service: "edgeloom", object: "workspace" });
  }

  /**
   * Repeats an admitted start until the run object has it. True when nothing is left to send.
   * Never throws.
   */
  async sendStart(runId: string): Promise<boolean> {
    const kept = this.#store.keptStart(runId);
    if (kept === undefined) {
      return true;
    }
    const log = this.#log.with({ run_id: runId, correlation_id: kept.correlation_id });
    try {
      const start = await restoreStart(this.#env.FILES, kept);
      const workflows = new WorkflowStore(this.#env, start.workspace_id);
      const definition = await workflows.readVersion(start.workflow_id, start.workflow_version);
      if (definition === undefined) {
        throw new Error("the definition of the admitted version is not stored");
      }
      const result = await withDeadline(
        runObject({ env: this.#env }, runId).start({ ...start, definition_json: definition }),
        CALL_MAX_MS,
      );
      if (!result.ok) {
        throw new Error(`the run object refused its start: ${result.code}`);
      }
      // What it answers is how the run began: only the run knows whether it has an alarm by now, so
      // only its own `acknowledge` or `close` ends the repeats.
      log.info("run.start_repeated", { status: result.value.status });
      return true;
    } catch (error) {
      log.error("run.start_not_delivered", { reason: describeCause(error) });
      return false;
    }
  }

  /**
   * Tells runs that got a slot to begin; true when none is left to tell. A run that has not
   * acknowledged its start gets that first. Passes overlap, so each run is told by one of them, and
   * each goes on behind the last: runs that cannot be told must not keep the others waiting.
   */
  async deliverPromotions(): Promise<boolean> {
    for (let pages = 0; pages < PROMOTION_PAGES_MAX; pages++) {
      const page = this.#store.promotedRuns(PROMOTIONS_AT_ONCE, this.#promotedThrough);
      this.#promotedThrough = page.at(-1)?.seq ?? 0;
      if (page.length === 0 && pages > 0) {
        break;
      }
      await Promise.all(
        page
          .filter(({ run_id: runId }) => !this.#promoting.has(runId))
          .map(async ({ run_id: runId }) => {
            await this.#promote(runId);
          }),
      );
    }
    return this.#store.promotedRuns(1, 0).length === 0;
  }

  async #promote(runId: string): Promise<void> {
    this.#promoting.add(runId);
    try {
      if (await this.sendStart(runId)) {
        await withDeadline(runObject({ env: this.#env }, runId).promote({ v: 1 }), CALL_MAX_MS);
        this.#store.promotionDelivered(runId);
      }
    } catch (error) {
      this.#log.error("run.promotion_not_delivered", {
        run_id: runId,
        reason: describeCause(error),
      });
    } finally {
      this.#promoting.delete(runId);
    }
  }
}

/** Calls in flight from one pass. */
const PROMOTIONS_AT_ONCE = 20;
/** Of one pass: the alarm has other work too. */
const PROMOTION_PAGES_MAX = 20;
/** Far beyond what a live object takes, and no more than the workspace's other runs can wait. */
const CALL_MAX_MS = 5000;

import type { Env } from "../../src/platform/env.ts";
import { createLogger, type Logger } from "../../src/platform/logger.ts";
import { WorkflowVersions } from "../../src/storage/d1/workflow-versions.ts";
import { runObject } from "../../src/storage/objects/run-object.ts";
import { restoreStart } from "../../src/domain/executions/submit/long-start.ts";
import type { AdmittedStart } from "../../src/contracts/workspaces/admission.ts";
import type { UndeliveredStarts } from "./undelivered-starts.ts";
import { withDeadline } from "../../src/lib/with-deadline.ts";
import { describeCause } from "../../src/lib/errors/describe-cause.ts";

/** Calls of the workspace object to run objects. Each may be lost or repeated without harm. */
export class WorkspaceEffects {
  readonly #env: Env;
  readonly #starts: UndeliveredStarts;
  readonly #log: Logger;
  readonly #promoting = new Set<string>();
  /** Where the last pass over promoted runs stopped. */
  #promotedThrough = 0;

  constructor(env: Env, starts: UndeliveredStarts) {
    this.#env = env;
    this.#starts = starts;
    this.#log = createLogger({ service: "edgeloom", object: "workspace" });
  }

  /** Repeats an admitted start until the run object has it. True if none is left. Never throws. */
  async sendStart(runId: string): Promise<boolean> {
    const kept = this.#starts.kept(runId);
    if (kept === undefined) {
      return true;
    }
    const log = this.#log.with({ run_id: runId, correlation_id: kept.correlation_id });
    try {
      const start = await restoreStart(this.#env.FILES, kept);
      const definition_json = start.definition_json ?? (await this.#versionOf(start));
      const result = await withDeadline(
        runObject({ env: this.#env }, runId).start({ ...start, definition_json }),
        CALL_MAX_MS,
      );
      if (!result.ok) {
        throw new Error(`the run object refused its start: ${result.code}`);
      }
      // The response reports how the run began. Only the run knows whether it has an alarm by now, so only its own
      // `acknowledge` or `close` ends the repeats.
      log.info("run.start_repeated", { status: result.value.status });
      return true;
    } catch (error) {
      log.error("run.start_not_delivered", { reason: describeCause(error) });
      return false;
    }
  }

  async #versionOf(start: AdmittedStart): Promise<string> {
    const versions = new WorkflowVersions(this.#env, start.workspace_id);
    const version = await versions.read(start.workflow_id, start.workflow_version);
    if (version === undefined) {
      throw new Error("the definition of the admitted version is not stored");
    }
    return version.text;
  }

  /**
   * Tells runs that got a slot to begin; true if none is left. A run that has not acknowledged its start receives that
   * first. Passes overlap, so each run is told by one of them, and each pass continues after the last: runs that do not
   * respond must not hold up the others.
   */
  async deliverPromotions(): Promise<boolean> {
    for (let pages = 0; pages < PROMOTION_PAGES_MAX; pages++) {
      const page = this.#starts.promoted(PROMOTIONS_AT_ONCE, this.#promotedThrough);
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
    return this.#starts.promoted(1, 0).length === 0;
  }

  async #promote(runId: string): Promise<void> {
    this.#promoting.add(runId);
    try {
      if (await this.sendStart(runId)) {
        await withDeadline(runObject({ env: this.#env }, runId).promote({ v: 1 }), CALL_MAX_MS);
        this.#starts.promotionDelivered(runId);
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

/** Concurrent calls of one pass. */
const PROMOTIONS_AT_ONCE = 20;
/** Calls of one pass, because the alarm has other work too. */
const PROMOTION_PAGES_MAX = 20;
/** Far longer than a live object takes, but short enough for the workspace's other runs. */
const CALL_MAX_MS = 5000;

import { isTerminal } from "../../../src/contracts/runs/run.ts";
import type { CloseRequest } from "../../../src/contracts/workspaces/admission.ts";
import { describeCause } from "../../../src/lib/errors/describe-cause.ts";
import { effectMade } from "../../../src/platform/effect-log.ts";
import type { Logger } from "../../../src/platform/logger.ts";
import type { GivenUp } from "../given-up.ts";
import type { LiveRun } from "../live-run.ts";
import type { RunAlarms } from "../run-alarms.ts";
import type { RunEffects } from "../run-effects.ts";
import { reusedIterations, runFailure } from "../views/run-metadata-view.ts";
import { chargedMilliCredits } from "../run-money.ts";
import type { RunOutbox } from "../run-outbox.ts";
import type { RunStore } from "../state/run-store.ts";

type RunEndReport = Omit<CloseRequest, "v" | "run_id">;

export interface ReportParts {
  readonly store: RunStore;
  readonly alarms: RunAlarms;
  readonly effects: RunEffects;
  /** Deletes the files of attempts that did not count. */
  readonly sweepFiles: () => Promise<void>;
  readonly outbox: RunOutbox;
  /** Calls that an executor must end elsewhere, also after the run's end. */
  readonly givenUp: Pick<GivenUp, "isEmpty">;
  readonly log: Logger;
  readonly nowMs: () => number;
}

/** Reports a run's status and its end to the workspace, and the end to webhook endpoints. */
export class RunReports {
  readonly #parts: ReportParts;
  readonly #run: LiveRun;
  #isClosed = false;

  constructor(parts: ReportParts, run: LiveRun) {
    this.#parts = parts;
    this.#run = run;
  }

  /** Whether all receivers know of the run's end. A run that ended within its start stores no record of it. */
  get isClosed(): boolean {
    return this.#isClosed || this.#parts.store.getMetadata("closed") !== undefined;
  }

  /** Reports the live run's status to the workspace, so that lists agree with the run; once per status. */
  async acknowledge(): Promise<void> {
    const { store, effects, alarms, nowMs } = this.#parts;
    const { status } = this.#run.state;
    if (isTerminal(status) || store.getMetadata("acknowledged") === status) {
      return;
    }
    // Before the workspace receives it, because from then on it no longer repeats the start.
    alarms.arm(nowMs());
    const startedAt = store.getMetadata("started_at");
    await effects.acknowledge(this.#run.metadata, {
      startedAtMs: startedAt === undefined ? null : Number(startedAt),
      isCancelling: status === "cancelling",
    });
    store.putMetadata("acknowledged", status);
  }

  /** For callers that have changed the run and must not fail because of this: the advance in progress repeats it. */
  async tryAcknowledge(): Promise<void> {
    try {
      await this.acknowledge();
    } catch (error) {
      this.#parts.log.error("run.cancel_not_indexed", { cause: describeCause(error) });
    }
  }

  /** Settles the ended run with the workspace, and hands its event over. Throws if one was not reached; safe to repeat. */
  async close(): Promise<void> {
    const { store, effects, outbox, sweepFiles, alarms, nowMs } = this.#parts;
    const isGuarded = alarms.isGuard;
    if (isGuarded) {
      alarms.arm(nowMs());
    }
    const end = this.#end(isGuarded);
    const listeners = await effects.close(this.#run.metadata, end);
    // Not closed before all receivers have its event: until then the alarm, or the repeated start, returns here.
    await outbox.handOver(listeners);
    effectMade("outbox");
    if (store.hasTasks) {
      await sweepFiles();
    }
    if (!isGuarded && listeners.webhook_endpoints.length > 0) {
      await effects.acknowledge(this.#run.metadata, { startedAtMs: null, isCancelling: false });
    }
    this.#isClosed = true;
    if (isGuarded || !store.isNew) {
      store.putMetadata("closed", 1);
      alarms.disarm();
      if (!this.#parts.givenUp.isEmpty) {
        alarms.arm(nowMs());
      }
    }
    this.#logEnd(end);
  }

  /**
   * The end of a run that nothing of its own guards, as it ended within its start: its caller reports it. Null if the run
   * has not ended, or has more to do than that. A caller that is lost changes nothing: the workspace repeats the start.
   */
  takeEnd(): CloseRequest | null {
    const { store, alarms, givenUp } = this.#parts;
    if (
      !isTerminal(this.#run.state.status) ||
      this.isClosed ||
      !store.isNew ||
      alarms.isGuard ||
      store.hasTasks ||
      !givenUp.isEmpty
    ) {
      return null;
    }
    const end = this.#end(false);
    this.#logEnd(end);
    return { v: 1, run_id: this.#run.metadata.run_id, ...end };
  }

  #end(isGuarded: boolean): RunEndReport {
    const { store } = this.#parts;
    const { state } = this.#run;
    const failure =
      state.status === "failed" || state.status === "partial_success"
        ? runFailure(this.#run, store)
        : null;
    const startedAt = store.getMetadata("started_at");
    return {
      status: state.status,
      progress: state.progress,
      settled_milli_credits: chargedMilliCredits(this.#run, state),
      error_code: failure?.code ?? null,
      error_message: failure?.message ?? null,
      error_node_id: failure?.nodeId ?? null,
      error_indices: failure?.indices ?? null,
      started_at_ms: startedAt === undefined ? null : Number(startedAt),
      completed_at_ms: Number(store.getMetadata("completed_at")),
      reused_iterations: reusedIterations(this.#run),
      is_unguarded: !isGuarded,
    };
  }

  #logEnd({ status, error_code }: RunEndReport): void {
    this.#parts.log.info("run.ended", { status, error_code: error_code ?? undefined });
  }
}

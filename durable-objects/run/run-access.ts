/** The run of an object for one call: woken from its rows, and only for callers of its own workspace. */
import type { BatchRunEnd, RunReadRequest } from "../../src/contracts/runs/run-object-api.ts";
import { isMadeBy } from "../../src/contracts/embeds/embed-origin.ts";
import { type Execution, isTerminal } from "../../src/contracts/runs/run.ts";
import { fail, failureOfError, type Failure, type Result } from "../../src/lib/result.ts";
import { noteTenant } from "./active-tenants.ts";
import { type AwakeRun, awakeRun, type ObjectParts } from "./awake-run.ts";
import type { RunLoop } from "./run-loop.ts";
import { type DamagedRun, DamagedRunError } from "./damaged-run.ts";
import type { OutputExpiry } from "./output-expiry.ts";
import { RequestMemory } from "../../src/platform/request-memory.ts";
import { runGroupObject } from "../../src/storage/objects/run-group-object.ts";

/** A call of a caller, of whom the workspace and the embed token matter here. */
type FromWorkspace = Pick<RunReadRequest, "workspace_id" | "embed">;

const nothing = () => {};
const none = () => null;

const NOT_FOUND = fail("not_found", "There is no execution with this id.");

interface AccessParts extends ObjectParts {
  /** The object's name; undefined for an object without a name, which no run has. */
  readonly runId: string | undefined;
  readonly damaged: DamagedRun;
  readonly expiry: OutputExpiry;
  readonly waitUntil: (promise: Promise<unknown>) => void;
}

export class RunAccess {
  readonly #parts: AccessParts;
  #live: AwakeRun | undefined;

  constructor(parts: AccessParts) {
    this.#parts = parts;
  }

  /**
   * Takes the run over from its group, which has carried it out and keeps it until somebody asks; must precede what reads
   * the run. With `begins`, a group that has not carried it out never does.
   */
  async arrive(begins = false): Promise<void> {
    const { env, store, runId } = this.#parts;
    if (store.exists || runId === undefined) {
      return;
    }
    const kept = await runGroupObject({ env }, runId).take({ v: 1, run_id: runId, begins });
    // Another call may have come first while this one waited.
    if (kept !== null && !store.exists) {
      store.takeOver(kept);
    }
  }

  /** The run in memory, completely written: no crash can undo what a caller receives. */
  wake(): AwakeRun {
    this.#parts.store.keep();
    return this.awake();
  }

  /** Null for a run that cannot be read at all. */
  tryWake(): AwakeRun | null {
    try {
      return this.wake();
    } catch (error) {
      if (error instanceof DamagedRunError) {
        return null;
      }
      throw error;
    }
  }

  /** Null for a run without tasks, which no executor has. */
  withTasks(): AwakeRun | null {
    return this.#parts.store.hasTasks ? this.tryWake() : null;
  }

  /** The run in memory, rebuilt from its rows if the object has just woken. */
  awake(): AwakeRun {
    if (this.#live === undefined) {
      const forget = () => {
        this.#live = undefined;
      };
      const { isEndedNow, ...live } = awakeRun(this.#parts, forget);
      this.#live = live;
      this.#parts.store.onForgotten = () => {
        live.loop.retire();
        forget();
      };
      if (isEndedNow) {
        this.#parts.alarms.arm(Date.now());
        this.#parts.waitUntil(live.loop.advance());
      }
    }
    return this.#live;
  }

  /** Leaves the memory of a run that has ended and is reported: the next call reads its rows, as after an eviction. */
  forget(): void {
    this.#live?.loop.retire();
    this.#live = undefined;
    this.#parts.store.onForgotten = nothing;
    this.#parts.store.log.onCommitted = nothing;
    this.#parts.alarms.deadlineMs = none;
  }

  /** `isStatus`: the request needs the status only, which the workspace's index knows too. */
  refusal(request: FromWorkspace, isStatus = false): Failure | undefined {
    noteTenant(this.#parts.env, request.workspace_id);
    if (!this.#parts.store.exists) {
      return NOT_FOUND;
    }
    const live = this.tryWake();
    if (live === null) {
      this.#parts.waitUntil(this.#parts.damaged.giveUp(request.workspace_id));
      return isStatus ? this.#parts.damaged.notKnown : this.#parts.damaged.unreadable;
    }
    const { workspace_id, workflow_id, embed } = live.run.metadata;
    if (workspace_id !== request.workspace_id) {
      return fail("forbidden", "This execution belongs to another workspace.");
    }
    return request.embed === undefined || isMadeBy(request.embed, embed, workflow_id)
      ? undefined
      : NOT_FOUND;
  }

  /** The result of `show` for a caller of the run's own workspace; `service_unavailable` if it gets no memory. */
  async show<T>(
    request: FromWorkspace,
    show: (live: AwakeRun, memory: RequestMemory) => Result<T> | Promise<Result<T>>,
    { isStatus = false } = {},
  ): Promise<Result<T>> {
    await this.arrive();
    const refusal = this.refusal(request, isStatus);
    if (refusal !== undefined) {
      return refusal;
    }
    const memory = new RequestMemory(this.#parts.waitUntil);
    try {
      return await show(this.wake(), memory);
    } catch (error) {
      return failureOfError(error);
    }
  }

  /** The result of `read` for a run whose outputs are kept. */
  async kept<T>(read: (live: AwakeRun) => Result<T>): Promise<Result<T>> {
    await this.arrive();
    const live =
      this.#parts.store.exists && this.#parts.expiry.expiredAtMs === null ? this.tryWake() : null;
    return live === null ? fail("not_found", "This output does not exist.") : read(live);
  }

  /**
   * The end and the short outputs of a run that has ended within its start, for its batch to report. Null for a run that
   * goes on, and reports its end itself.
   */
  endForBatch(loop: RunLoop): BatchRunEnd | null {
    const end = loop.takeEnd();
    if (end === null) {
      this.#parts.waitUntil(loop.advance());
      return null;
    }
    const outputs = this.#parts.views.shortOutputs(this.awake());
    // Thousands of these objects stay awake for seconds, and few are asked again.
    this.forget();
    return outputs === null ? end : { ...end, outputs };
  }

  /** The short outputs of a run that has ended within its start, or null; it goes on, and reports its end itself. */
  outputsForBatch(loop: RunLoop): string | null {
    const live = this.awake();
    const isEnded = isTerminal(live.run.state.status);
    const outputs = isEnded ? this.#parts.views.shortOutputs(live) : null;
    this.#parts.waitUntil(loop.advance());
    return outputs;
  }

  execution(workspaceId: string, baseUrl: string): Execution {
    return this.#parts.views.execution(this.awake(), workspaceId, baseUrl);
  }
}

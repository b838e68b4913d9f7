/**
 * A run whose metadata cannot be read: its rows do not tell what it is or how far it came, so nothing of it can be
 * shown. Its external resources are released with the knowledge of its callers: the object's name is the run's id, and
 * callers pass the workspace.
 */
import { describeCause } from "../../src/lib/errors/describe-cause.ts";
import { fail, type Failure } from "../../src/lib/result.ts";
import type { Env } from "../../src/platform/env.ts";
import { createLogger } from "../../src/platform/logger.ts";
import type { RunExpiry, RunExpiryRequest } from "../../src/contracts/runs/run-object-api.ts";
import type { OutputExpiry } from "./output-expiry.ts";
import { workspaceObject } from "../../src/storage/objects/workspace-object.ts";

const ERROR = {
  code: "INTERNAL_ERROR",
  message: "The stored data of the run is damaged. Submit the run again.",
} as const;

/** The run's metadata cannot be read. Its rows were not changed. */
export class DamagedRunError extends Error {
  override readonly name = "DamagedRunError";
}

export class DamagedRun {
  readonly #env: Env;
  /** The object's name; empty for an object without a name, which no run has. */
  readonly #runId: string;
  readonly #told = new Set<string>();

  constructor(env: Env, name: string | undefined) {
    this.#env = env;
    this.#runId = name ?? "";
  }

  /**
   * Ends the run in its workspace: settled credits stay, the rest of the reservation and the slot are released, and the
   * workspace sends the event of its end. A workspace without such a run changes nothing, so the call is safe for any
   * caller. Never throws.
   */
  async giveUp(workspaceId: string): Promise<void> {
    const run_id = this.#runId;
    if (run_id === "" || this.#told.has(workspaceId)) {
      return;
    }
    try {
      await workspaceObject({ env: this.#env }, workspaceId).close({
        v: 1,
        run_id,
        status: "failed",
        progress: 100,
        settled_milli_credits: 0,
        error_code: ERROR.code,
        error_message: ERROR.message,
        started_at_ms: null,
        completed_at_ms: Date.now(),
        is_damaged: true,
      });
      this.#told.add(workspaceId);
    } catch (error) {
      createLogger({ object: "run" }).error("run.damaged_not_closed", {
        run_id,
        cause: describeCause(error),
      });
    }
  }

  /** Deletes a part of what the run has stored: its files, and then its rows. */
  async expire(
    { workspace_id, batch = null }: RunExpiryRequest,
    expiry: OutputExpiry,
  ): Promise<RunExpiry> {
    await this.giveUp(workspace_id);
    return expiry.advanceDamaged({ workspace_id, run_id: this.#runId }, batch, Date.now());
  }

  /** The run's status is in its workspace's index, which callers use for a run whose object cannot read it. */
  get notKnown(): Failure {
    return fail("not_found", "The stored data of this execution is damaged.");
  }

  /** The answer to requests that need its rows. */
  get unreadable(): Failure {
    return fail(
      "internal_error",
      "The stored data of this execution is damaged, so its result, trace and events cannot be read. Submit the run again.",
    );
  }
}

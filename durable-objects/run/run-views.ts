/** What a run object shows of its run: the documents that callers read, and what an export lists. */
import type { RunReadRequest } from "../../src/contracts/run-object-api.ts";
import { type Execution, isTerminal } from "../../src/contracts/run.ts";
import { firstOutputs } from "../../src/engine/view/first-outputs.ts";
import type { ViewInput } from "../../src/engine/view/view-input.ts";
import { fail, ok, type Result } from "../../src/lib/result.ts";
import type { Env } from "../../src/platform/env.ts";
import { grantFileAccess } from "../../src/platform/file-access.ts";
import type { LiveRun } from "./live-run.ts";
import type { OutputExpiry } from "./output-expiry.ts";
import { executionOf } from "./run-metadata-view.ts";
import type { RunStore } from "./run-store.ts";
import { runViewInput } from "./run-view-input.ts";
import { derivedToken } from "./run-host.ts";

/** Raw entries that an execution carries (docs/contract/results.md#raw-outputs). */
const OUTPUTS_SHOWN_MAX = 100;

/** A run in memory, and what its secret names are derived from. */
interface Shown {
  readonly run: LiveRun;
  readonly seed: string;
}

export class RunViews {
  readonly #env: Env;
  readonly #store: RunStore;
  readonly #expiry: OutputExpiry;

  constructor(env: Env, store: RunStore, expiry: OutputExpiry) {
    this.#env = env;
    this.#store = store;
    this.#expiry = expiry;
  }

  of({ run, seed }: Shown, request: RunReadRequest): ViewInput {
    const token = derivedToken(seed, "cells");
    const view = runViewInput(run, this.#store, request, token, this.#env.FILES);
    const granted = (url: string) => grantFileAccess(this.#env, url, Date.now()).url;
    return {
      ...view,
      fileUrl: (file) => granted(view.fileUrl(file)),
      cellUrl: (output, cell) => granted(view.cellUrl(output, cell)),
    };
  }

  execution(shown: Shown, workspaceId: string, baseUrl: string): Execution {
    const view = this.of(shown, { v: 1, workspace_id: workspaceId, base_url: baseUrl });
    const { outputs, total } = firstOutputs(view, OUTPUTS_SHOWN_MAX);
    return executionOf(shown.run, this.#store, { outputs, outputs_total: total });
  }

  /** The view of an ended run. Its addresses are of no use to an export. */
  forExport(shown: Shown, workspaceId: string): Result<ViewInput> {
    const { status } = shown.run.state;
    if (!isTerminal(status)) {
      return fail("invalid_status", `The run is ${status}.`);
    }
    if (this.#expiry.hasBegun) {
      return fail("outputs_expired", "The run's outputs have expired.");
    }
    // The archive will lie beside its files.
    this.#store.noteFiles();
    return ok(this.of(shown, { v: 1, workspace_id: workspaceId, base_url: "" }));
  }
}

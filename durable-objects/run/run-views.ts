/** The views of a run object: documents for callers, and the list for an export. */
import type {
  RunCellRequest,
  RunCellText,
  RunReadRequest,
} from "../../src/contracts/run-object-api.ts";
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
import { outputBody, runViewInput } from "./run-view-input.ts";
import { derivedToken } from "./run-host.ts";
import { cellTokenOf } from "./held-file.ts";
import { isSameToken } from "./same-token.ts";
import { createHash } from "node:crypto";

/** Raw entries in an execution object (docs/contract/results.md#raw-outputs). */
const OUTPUTS_SHOWN_MAX = 100;

/** A run in memory, and the seed of its secret names. */
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
    const tokenOf = (what: string) => derivedToken(seed, what);
    const view = runViewInput(run, this.#store, request, tokenOf, this.#env.FILES);
    const granted = (url: string) => grantFileAccess(this.#env, url, Date.now()).url;
    return {
      ...view,
      fileUrl: (...of) => granted(view.fileUrl(...of)),
      cellUrl: (output, cell) => granted(view.cellUrl(output, cell)),
    };
  }

  execution(shown: Shown, workspaceId: string, baseUrl: string): Execution {
    const view = this.of(shown, { v: 1, workspace_id: workspaceId, base_url: baseUrl });
    const { outputs, total } = firstOutputs(view, OUTPUTS_SHOWN_MAX);
    return executionOf(shown.run, this.#store, { outputs, outputs_total: total });
  }

  /** The view of an ended run. An export does not need its addresses. */
  forExport(shown: Shown, workspaceId: string): Result<ViewInput> {
    const { status } = shown.run.state;
    if (!isTerminal(status)) {
      return fail("invalid_status", `The run is ${status}.`);
    }
    if (this.#expiry.hasBegun) {
      return fail("outputs_expired", "The run's outputs have expired.");
    }
    // The archive is stored beside its files.
    this.#store.noteFiles();
    return ok(this.of(shown, { v: 1, workspace_id: workspaceId, base_url: "" }));
  }
}

/** Addresses of earlier releases have one token for all texts of their run. They work until they expire. */
const TOKEN_OF_ALL_CELLS = "cells";

/** Returns a body that is kept in a row to a caller with the token of its element. `not_found` otherwise. */
export function cellText(
  { run, seed }: { readonly run: LiveRun; readonly seed: string },
  store: RunStore,
  request: RunCellRequest,
): Result<RunCellText> {
  const { node, ord: element, token } = request;
  const isOpen = [cellTokenOf(node, element), TOKEN_OF_ALL_CELLS].some((of) =>
    isSameToken(token, derivedToken(seed, of)),
  );
  const output = run.outline.outputs.find((candidate) => candidate.node === node);
  const [row] = isOpen && output !== undefined ? store.cellsAt(node, [element]) : [];
  const body = output === undefined || row === undefined ? null : outputBody(row, output.type);
  if (body?.kind !== "text") {
    return fail("not_found", "This output does not exist.");
  }
  return ok({
    text: body.text,
    content_type: output?.type === "json" ? "application/json" : "text/plain; charset=utf-8",
  });
}

/** Increased when a newer version of this code shows the same run differently. */
const VIEW = 2;

const marks = new Map<string, string>();
const MARKS_MAX = 100;

/**
 * The tag of a run's views. A view depends on the run's rows, which change only with an entry of the log, and on the
 * base address of its links.
 */
export function entityTag(logHead: number, baseUrl: string): string {
  let mark = marks.get(baseUrl);
  if (mark === undefined) {
    if (marks.size >= MARKS_MAX) {
      marks.clear();
    }
    mark = createHash("sha256")
      .update(`${String(VIEW)}|${baseUrl}`)
      .digest("base64url")
      .slice(0, 8);
    marks.set(baseUrl, mark);
  }
  return `"${String(logHead)}-${mark}"`;
}

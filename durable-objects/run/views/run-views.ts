/** The views of a run object: documents for callers, and the list for an export. */
import { createHash } from "node:crypto";
import type { ExecutionListItem } from "../../../src/contracts/runs/execution-requests.ts";
import type {
  RunCellRequest,
  RunCellText,
  RunDocument,
  RunFile,
  RunFileRequest,
  RunIterationsRequest,
  RunOutputsRequest,
  RunPastDocument,
  RunPastRequest,
  RunPoll,
  RunPollRequest,
  RunReadRequest,
  RunResultDocument,
  RunResultRequest,
} from "../../../src/contracts/runs/run-object-api.ts";
import { type Execution, isTerminal, type RawOutput } from "../../../src/contracts/runs/run.ts";
import type { Trace, TraceIterationPage } from "../../../src/contracts/runs/trace.ts";
import type {
  ComparableRun,
  ElementsPage,
  RunElementsRequest,
  RunValuesRequest,
} from "../../../src/contracts/runs/run-comparison-api.ts";
import type { StoredValue } from "../../../src/contracts/runs/task.ts";
import type {
  HeldContent,
  RunContentsRequest,
  RunExportPage,
  RunExportRequest,
} from "../../../src/contracts/runs/zip-export.ts";
import { withoutCredits } from "../../../src/domain/embeds/without-credits.ts";
import { countOutputs, firstOutputs } from "../../../src/engine/view/first-outputs.ts";
import { renderOutputs } from "../../../src/engine/view/render-outputs.ts";
import { renderResult } from "../../../src/engine/view/render-result.ts";
import type { ViewInput } from "../../../src/engine/view/view-input.ts";
import { matchesEntityTag } from "../../../src/lib/http/entity-tag.ts";
import { fail, ok, type Result } from "../../../src/lib/result.ts";
import { textBody } from "../../../src/lib/http/text-body.ts";
import type { Env } from "../../../src/platform/env.ts";
import { grantFileAccess } from "../../../src/platform/file-access.ts";
import { AnswerMemory } from "./answer-memory.ts";
import { cellText } from "../blocks/cell-text.ts";
import type { RequestMemory } from "../../../src/platform/request-memory.ts";
import { heldFile } from "../tasks/held-file.ts";
import type { LiveRun } from "../live-run.ts";
import type { OutputExpiry } from "../output-expiry.ts";
import {
  countOfOutputs,
  exportBytes,
  exportContents,
  exportPage,
  shortPage,
} from "./run-export.ts";
import { derivedToken } from "../run-host.ts";
import { iterationsOf } from "./run-iterations.ts";
import {
  COMPARISON_BYTES,
  comparableElements,
  comparableRun,
  comparableValues,
} from "./run-comparison.ts";
import { executionOf, listItemOf } from "./run-metadata-view.ts";
import { eventIdOf, issuedPlace, lastPlace, notAnEvent } from "./event-text.ts";
import { type PastRun, pastRun, type ShownRows } from "./past-run.ts";
import type { RunStore } from "../state/run-store.ts";
import { traceOf } from "./run-trace.ts";
import { runViewInput } from "./run-view-input.ts";
import type { TaskStore } from "../tasks/task-store.ts";

/** Raw entries in an execution object (docs/contract/results.md#raw-outputs). */
const OUTPUTS_SHOWN_MAX = 100;

/** Characters of values up to which a live run keeps the first outputs of its polls. */
const KEPT_CHARS = 16 * 1024;

type OutputsShown = Pick<Execution, "outputs" | "outputs_total">;

/** A run in memory, and the seed of its secret names. */
interface Shown {
  readonly run: LiveRun;
  readonly seed: string;
  /** Of a past state: what was in the rows then. */
  readonly rows?: ShownRows;
}

export class RunViews {
  readonly #env: Env;
  readonly #store: RunStore;
  readonly #tasks: TaskStore;
  readonly #expiry: OutputExpiry;
  /** The first outputs of a live run, which do not change any more. */
  #polled:
    | { readonly run: LiveRun; readonly baseUrl: string; readonly outputs: RawOutput[] }
    | undefined;

  /** An ended run does not change. */
  #comparable: ComparableRun | undefined;

  constructor(env: Env, store: RunStore, tasks: TaskStore, expiry: OutputExpiry) {
    this.#env = env;
    this.#store = store;
    this.#tasks = tasks;
    this.#expiry = expiry;
  }

  /** `memory`: for the values of an answer that may be long. */
  of(
    { run, seed, rows = this.#store }: Shown,
    request: RunReadRequest,
    memory?: AnswerMemory,
  ): ViewInput {
    const tokenOf = (what: string) => derivedToken(seed, what);
    const view = runViewInput(run, rows, request, tokenOf, this.#env.FILES);
    const granted = (url: string) => grantFileAccess(this.#env, url, Date.now()).url;
    const shown: ViewInput = {
      ...view,
      ...(memory !== undefined && {
        holdPage: (cells) => memory.holdPage(cells),
        readText: async (file) => {
          await memory.holdText(file.sizeBytes);
          return view.readText(file);
        },
      }),
      fileUrl: (...of) => granted(view.fileUrl(...of)),
      cellUrl: (output, cell) => granted(view.cellUrl(output, cell)),
    };
    return request.embed === undefined ? shown : withoutCredits(shown);
  }

  /** The execution, unless the caller has this version already. */
  poll(shown: Shown, request: RunPollRequest): RunPoll {
    const etag = entityTag(this.#store.log.head, request.base_url);
    return {
      etag,
      execution: matchesEntityTag(request.if_none_match, etag)
        ? null
        : this.execution(shown, request.workspace_id, request.base_url),
    };
  }

  execution(shown: Shown, workspaceId: string, baseUrl: string): Execution {
    const view = this.of(shown, { v: 1, workspace_id: workspaceId, base_url: baseUrl });
    return executionOf(shown.run, this.#store, {
      ...this.#firstOutputs(shown, view, baseUrl),
      last_event_id: eventIdOf(lastPlace(this.#store.log)),
    });
  }

  /** Polls of a long fan-out show the same first elements each time, whose blocks work has left behind. */
  #firstOutputs({ run }: Shown, view: ViewInput, baseUrl: string): OutputsShown {
    const isLive = !isTerminal(run.state.status);
    const polled = this.#polled;
    // Another `run` was read again from its rows.
    if (isLive && polled?.run === run && polled.baseUrl === baseUrl) {
      return { outputs: polled.outputs, outputs_total: countOutputs(view) };
    }
    const { outputs, total, isFinal } = firstOutputs(view, OUTPUTS_SHOWN_MAX);
    // Private addresses expire; long values take memory.
    const isKept =
      isLive && isFinal && this.#env.FILE_ACCESS !== "private" && valueChars(outputs) <= KEPT_CHARS;
    this.#polled = isKept ? { run, baseUrl, outputs } : undefined;
    return { outputs, outputs_total: total };
  }

  listItem({ run }: Shown): ExecutionListItem {
    return listItemOf(run, this.#store);
  }

  /** The result, unless the caller has this version already. */
  async result(
    shown: Shown,
    request: RunResultRequest,
    memory: RequestMemory,
  ): Promise<RunResultDocument> {
    const etag = entityTag(this.#store.log.head, request.base_url);
    if (matchesEntityTag(request.if_none_match, etag)) {
      return { etag, body: null };
    }
    const answer = new AnswerMemory(memory);
    const pieces = renderResult(this.of(shown, request, answer));
    return { etag, body: await textBody(pieces, (isOver) => answer.release(isOver)) };
  }

  /** A page of the raw outputs of an ended run. */
  async outputs(
    shown: Shown,
    request: RunOutputsRequest,
    memory: RequestMemory,
  ): Promise<Result<RunDocument>> {
    const { status } = shown.run.state;
    if (!isTerminal(status)) {
      return fail(
        "not_completed",
        `The run is ${status}. Its raw outputs can be read once it has ended; /result can be read at any time.`,
      );
    }
    const page = { limit: request.limit, startingAfter: request.starting_after };
    const answer = new AnswerMemory(memory);
    const rendered = renderOutputs(this.of(shown, request, answer), page);
    return rendered.ok
      ? ok({ body: await textBody(rendered.value, (isOver) => answer.release(isOver)) })
      : rendered;
  }

  trace({ run }: Shown): Trace {
    return traceOf(run, this.#store);
  }

  /**
   * A document of the run after the commit of an event, unless the caller has this version already;
   * `validation_error` for an event that the run has not issued.
   */
  async past(
    shown: Shown,
    request: RunPastRequest,
    memory: RequestMemory,
  ): Promise<Result<RunPastDocument>> {
    const { log } = this.#store;
    const place = issuedPlace(log, request.event_id);
    if (place === undefined) {
      return notAnEvent("as_of_event", request.event_id);
    }
    const etag = entityTag(`${eventIdOf(place)}.${String(log.head)}`, request.base_url);
    const answered = {
      etag,
      is_final: isTerminal(shown.run.state.status),
      has_expired: this.#expiry.hasBegun,
    };
    if (matchesEntityTag(request.if_none_match, etag)) {
      return ok({ ...answered, body: null });
    }
    const past = pastRun(shown.run, this.#store, place);
    const asOf = { event_id: request.event_id, at: new Date(past.atMs).toISOString() };
    const answer = new AnswerMemory(memory);
    const moment: Shown = { ...past, seed: shown.seed };
    if (request.document === "result") {
      const pieces = renderResult({ ...this.of(moment, request, answer), asOf });
      return ok({ ...answered, body: await textBody(pieces, (isOver) => answer.release(isOver)) });
    }
    const document =
      request.document === "trace"
        ? traceOf(past.run, past.rows)
        : this.#pastExecution(past, this.of(moment, request));
    return ok({ ...answered, body: JSON.stringify({ ...document, as_of: asOf }) });
  }

  /** An ended run for a comparison; `not_completed` and `outputs_expired` where there is nothing to compare. */
  comparable(
    shown: Shown,
    request: RunReadRequest,
    memory: RequestMemory,
  ): Promise<Result<ComparableRun>> {
    return this.#compared(shown, memory, () => {
      this.#comparable ??= comparableRun(shown.run, this.#store, this.of(shown, request));
      return this.#comparable;
    });
  }

  comparableElements(
    shown: Shown,
    request: RunElementsRequest,
    memory: RequestMemory,
  ): Promise<Result<ElementsPage>> {
    return this.#compared(shown, memory, () =>
      comparableElements(shown.run, this.of(shown, request), this.#store, request),
    );
  }

  comparableValues(
    shown: Shown,
    request: RunValuesRequest,
    memory: RequestMemory,
  ): Promise<Result<readonly (StoredValue | null)[]>> {
    return this.#compared(shown, memory, () =>
      comparableValues(shown.run, this.#store, request.places),
    );
  }

  async #compared<T>({ run }: Shown, memory: RequestMemory, read: () => T): Promise<Result<T>> {
    const { status } = run.state;
    if (!isTerminal(status)) {
      return fail(
        "not_completed",
        `The run is ${status}. Runs can be compared once both have ended.`,
      );
    }
    if (this.#expiry.hasBegun) {
      return fail(
        "outputs_expired",
        "The outputs of the run have expired, so it cannot be compared.",
      );
    }
    return ok(await memory.use(COMPARISON_BYTES, read));
  }

  #pastExecution({ run, rows, last }: PastRun, view: ViewInput): Execution {
    const { outputs, total } = firstOutputs(view, OUTPUTS_SHOWN_MAX);
    return executionOf(run, rows, {
      outputs,
      outputs_total: total,
      last_event_id: eventIdOf(last),
    });
  }

  iterations({ run }: Shown, request: RunIterationsRequest): Result<TraceIterationPage> {
    return iterationsOf(run, this.#store, this.#tasks, request);
  }

  /** A body that is kept in a row; `not_found` without the token of its element. */
  cell(shown: Shown, request: RunCellRequest): Result<RunCellText> {
    return cellText(shown, this.#store, request);
  }

  /** A file in a row or a pack; `not_found` without the token of its element. */
  file(shown: Shown, request: RunFileRequest): Result<RunFile> {
    return heldFile(shown, this.#store, request);
  }

  async exportEntries(
    shown: Shown,
    { workspace_id, from, base_url }: RunExportRequest,
    memory: RequestMemory,
  ): Promise<Result<RunExportPage>> {
    const view = this.#forExport(shown, workspace_id, base_url);
    return view.ok
      ? memory.use(exportBytes(countOfOutputs(view.value)), () =>
          ok(exportPage(view.value, from, base_url !== undefined)),
        )
      : view;
  }

  /** All outputs of an ended run for the rows of its batch, as JSON; null unless they are short texts. */
  shortOutputs(shown: Shown): string | null {
    return shortPage(this.of(shown, { v: 1, workspace_id: "", base_url: "" }));
  }

  async exportContents(
    shown: Shown,
    { workspace_id, elements }: RunContentsRequest,
    memory: RequestMemory,
  ): Promise<Result<readonly (HeldContent | null)[]>> {
    const view = this.#forExport(shown, workspace_id);
    return view.ok
      ? memory.use(exportBytes(elements.length), () =>
          ok(exportContents(view.value, this.#store, elements)),
        )
      : view;
  }

  /** The view of an ended run. The run's own export does not need its addresses. */
  #forExport(shown: Shown, workspaceId: string, baseUrl?: string): Result<ViewInput> {
    const { status } = shown.run.state;
    if (!isTerminal(status)) {
      return fail("invalid_status", `The run is ${status}.`);
    }
    if (this.#expiry.hasBegun) {
      return fail("outputs_expired", "The run's outputs have expired.");
    }
    if (baseUrl === undefined) {
      // The archive is stored beside its files.
      this.#store.noteFiles();
    }
    return ok(this.of(shown, { v: 1, workspace_id: workspaceId, base_url: baseUrl ?? "" }));
  }
}

function valueChars(outputs: readonly RawOutput[]): number {
  return outputs.reduce((sum, { value }) => sum + (value?.length ?? 0), 0);
}

/** Increased when a newer version of this code shows the same run differently. */
const VIEW = 4;

const marks = new Map<string, string>();
const MARKS_MAX = 100;

/**
 * The tag of a run's views. A view depends on the run's rows, which change only with an entry of the log, and on the
 * base address of its links.
 */
function entityTag(position: number | string, baseUrl: string): string {
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
  return `"${String(position)}-${mark}"`;
}

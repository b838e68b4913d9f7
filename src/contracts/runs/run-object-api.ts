/** RPC interface of the run object for the API Worker and the workspace object. */
import type { EmbedViewer } from "../embeds/embed-origin.ts";
import type { CloseRequest } from "../workspaces/admission.ts";
import type { RunSourceApi } from "./run-source.ts";
import type { Result } from "../../lib/result.ts";
import type { ExecutionListItem } from "./execution-requests.ts";
import type { Execution, RunStart } from "./run.ts";
import type { IterationFilter, Trace, TraceIterationPage } from "./trace.ts";

/**
 * The requesting workspace, and the public base address of links. A run of another workspace
 * returns `forbidden`.
 */
export interface RunReadRequest {
  readonly v: 1;
  readonly workspace_id: string;
  readonly base_url: string;
  /**
   * A runtime embed token that asks: runs that it may not see are `not_found`, and views have no credits. Absent for
   * callers who may see all runs of the workspace.
   */
  readonly embed?: EmbedViewer;
}

export interface RunPollRequest extends RunReadRequest {
  /** `If-None-Match` as received: an unchanged representation is not created again. */
  readonly if_none_match: string | null;
  /** Reply when the run has ended or after this time, whichever comes first; 0 replies at once. */
  readonly wait_ms: number;
}

/** `etag` is quoted as in the header. If `if_none_match` contains it, nothing else is set. */
export interface RunPoll {
  readonly etag: string;
  readonly execution: Execution | null;
}

export interface RunResultRequest extends RunReadRequest {
  readonly if_none_match: string | null;
}

export interface RunResultDocument {
  readonly etag: string;
  /** Null if `if_none_match` contains the tag. */
  readonly body: RunDocument["body"] | null;
}

export const PAST_DOCUMENTS = ["execution", "result", "trace"] as const;

/** A document of a run as it was at one of its events. */
export interface RunPastRequest extends RunReadRequest {
  readonly document: (typeof PAST_DOCUMENTS)[number];
  readonly event_id: string;
  readonly if_none_match: string | null;
}

export interface RunPastDocument extends RunResultDocument {
  /** Whether the run has ended since, so that the document does not change any more. */
  readonly is_final: boolean;
  readonly has_expired: boolean;
}

export interface RunIterationsRequest extends RunReadRequest {
  readonly node_id: string;
  /** Only iterations with one of these states; null means all. */
  readonly states: readonly IterationFilter[] | null;
  readonly page_size: number;
  readonly after: string | null;
}

export interface RunOutputsRequest extends RunReadRequest {
  /** 1 to 100; null means every output. */
  readonly limit: number | null;
  readonly starting_after: string | null;
}

/** A JSON document: complete if small, else a stream of its UTF-8 bytes. */
export interface RunDocument {
  readonly body: string | ReadableStream<Uint8Array>;
}

/**
 * The body of one element that is stored in a row, requested by a public address with the run's
 * token.
 */
export interface RunCellRequest {
  readonly v: 1;
  /**
   * The 43 characters from the address, compared in constant time; a wrong token returns
   * `not_found`.
   */
  readonly token: string;
  /** Index of the output node in the plan. */
  readonly node: number;
  readonly ord: number;
}
export interface RunCellText {
  readonly text: string;
  readonly content_type: "text/plain; charset=utf-8" | "application/json";
}

/** A file that is not an object in R2, requested by the public address of its element. */
export interface RunFileRequest {
  readonly v: 1;
  readonly workspace_id: string;
  /**
   * The 43 characters from the address, valid for this element alone; compared in constant time.
   */
  readonly token: string;
  /** Index of the output node in the plan. */
  readonly node: number;
  readonly ord: number;
  /** The last segment of the address. */
  readonly name: string;
}
export interface RunFile {
  /** File name of a download. */
  readonly name: string;
  readonly content_type: string;
  readonly size_bytes: number;
  /** SHA-256 of the bytes, in hexadecimal. */
  readonly sha256: string;
  /** The bytes, or the R2 object that contains them from `offset`. */
  readonly at: Uint8Array | { readonly key: string; readonly offset: number };
}

export interface RunExpiryRequest {
  readonly v: 1;
  readonly workspace_id: string;
  /** The run's batch, for a run whose stored data cannot be read; null if it has none. */
  readonly batch?: string | null | undefined;
}

/** Progress of the removal of a run's outputs. */
export interface RunExpiry {
  readonly expired_at_ms: number;
  /**
   * `more`: call again. `busy`: call again in a minute, because files may still be written. `held`: call again in a day,
   * because retries of the run still need some of them.
   */
  readonly state: "removed" | "more" | "busy" | "held";
  /** Whether the run may have had files in R2, so that the workspace's usage changes. */
  readonly has_files: boolean;
}

/** The end of a run that its batch reports to the workspace. */
export interface BatchRunEnd extends CloseRequest {
  /** A `RunExportPage` of all outputs, as JSON; omitted unless they are short texts. */
  readonly outputs?: string;
}

export interface RunObjectApi extends RunSourceApi {
  /**
   * Idempotent: the first start of a run id creates the run, a repeat returns its current state.
   */
  start(start: RunStart): Promise<Result<Execution>>;
  /**
   * As `start`, for a batch, which reports the end of a run that ends within its start: returns what the workspace must be
   * told, or null for a run that reports its end itself. The workspace repeats a start whose end it does not know, and the
   * run then reports it.
   */
  startOfBatch(start: RunStart): Promise<Result<BatchRunEnd | null>>;
  /**
   * The same for a batch whose runs report their ends themselves: returns the outputs of a run that ends within its start,
   * as `BatchRunEnd` has them, or null.
   */
  startOfHeardBatch(start: RunStart): Promise<Result<string | null>>;
  read(request: RunPollRequest): Promise<Result<RunPoll>>;
  /** The current state without outputs, for lists. */
  listItem(request: { v: 1; workspace_id: string }): Promise<Result<ExecutionListItem>>;
  result(request: RunResultRequest): Promise<Result<RunResultDocument>>;
  /** `validation_error` for an event that the run has not issued. */
  past(request: RunPastRequest): Promise<Result<RunPastDocument>>;
  /** Not named `trace`, which the platform reserves. */
  readTrace(request: RunReadRequest): Promise<Result<Trace>>;
  /** `not_found` for an unknown node, `invalid_request` for an invalid cursor. */
  readIterations(request: RunIterationsRequest): Promise<Result<TraceIterationPage>>;
  /** `not_completed` until the run has ended. */
  outputs(request: RunOutputsRequest): Promise<Result<RunDocument>>;
  cancel(request: RunReadRequest): Promise<Result<Execution>>;
  /** A slot is free: a held run may begin. Repeats have no effect. */
  promote(request: { v: 1 }): Promise<void>;
  /**
   * Its workspace asks after a run that has had a slot for long. A run whose stored data cannot be read
   * ends there as failed; any other goes on, should its alarm have been lost.
   */
  audit(request: { v: 1; workspace_id: string }): Promise<void>;
  readCell(request: RunCellRequest): Promise<Result<RunCellText>>;
  /** `not_found` unless every field matches the address of that file. */
  readFile(request: RunFileRequest): Promise<Result<RunFile>>;
  /**
   * The outputs' retention has ended: marks the run as expired and removes a part of its stored
   * outputs. Repeats continue the removal. `not_found` for a run that never began, `invalid_state`
   * for a run that has not ended.
   */
  expireOutputs(request: RunExpiryRequest): Promise<Result<RunExpiry>>;
}

/** RPC surface of the run object that the API Worker and the workspace object use. */
import type { Result } from "../lib/result.ts";
import type { ExecutionListItem } from "./execution-requests.ts";
import type { Execution, RunStart } from "./run.ts";
import type { IterationFilter, Trace, TraceIterationPage } from "./trace.ts";

/** Who asks, and under which public address links are made. A run of another workspace answers `forbidden`. */
export interface RunReadRequest {
  readonly v: 1;
  readonly workspace_id: string;
  readonly base_url: string;
}

export interface RunPollRequest extends RunReadRequest {
  /** `If-None-Match` as it came: what has not changed is not made again. */
  readonly if_none_match: string | null;
  /** Answer when the run has ended or this has passed, whichever is first; 0 for at once. */
  readonly wait_ms: number;
}

/** `etag` is quoted, as it stands in the header; nothing else when `if_none_match` names it. */
export interface RunPoll {
  readonly etag: string;
  readonly execution: Execution | null;
}

export interface RunResultRequest extends RunReadRequest {
  readonly if_none_match: string | null;
}

export interface RunResultDocument {
  readonly etag: string;
  /** Null when `if_none_match` names the tag. */
  readonly body: RunDocument["body"] | null;
}

export interface RunIterationsRequest extends RunReadRequest {
  readonly node_id: string;
  /** Only iterations in one of these; null means all. */
  readonly states: readonly IterationFilter[] | null;
  readonly page_size: number;
  readonly after: string | null;
}

export interface RunOutputsRequest extends RunReadRequest {
  /** 1 to 100; null means every output. */
  readonly limit: number | null;
  readonly starting_after: string | null;
}

/** A JSON document: whole when small, else its UTF-8 bytes as they are made. */
export interface RunDocument {
  readonly body: string | ReadableStream<Uint8Array>;
}

/** One element's body that is kept in a row, for the public address that names the run's token. */
export interface RunCellRequest {
  readonly v: 1;
  /** The 43 characters of the address; compared in constant time, a wrong one answers `not_found`. */
  readonly token: string;
  /** Index of the output node in the plan. */
  readonly node: number;
  readonly ord: number;
}
export interface RunCellText {
  readonly text: string;
  readonly content_type: "text/plain; charset=utf-8" | "application/json";
}

/** A file that is no object of R2, for the public address of its element. */
export interface RunFileRequest {
  readonly v: 1;
  readonly workspace_id: string;
  /** The 43 characters of the address, of this element alone; compared in constant time. */
  readonly token: string;
  /** Index of the output node in the plan. */
  readonly node: number;
  readonly ord: number;
  /** The last segment of the address. */
  readonly name: string;
}
export interface RunFile {
  /** As a download is saved. */
  readonly name: string;
  readonly content_type: string;
  readonly size_bytes: number;
  /** Of its bytes, hexadecimal. */
  readonly sha256: string;
  /** Its bytes, or the object of R2 in which they begin at `offset`. */
  readonly at: Uint8Array | { readonly key: string; readonly offset: number };
}

/** How far the removal of a run's outputs has come. */
export interface RunExpiry {
  readonly expired_at_ms: number;
  /** `more`: call again. `busy`: call again in a minute, something may still be writing. */
  readonly state: "removed" | "more" | "busy";
}

export interface RunObjectApi {
  /** Idempotent: the first start of a run id makes the run, a repeat answers it as it is. */
  start(start: RunStart): Promise<Result<Execution>>;
  read(request: RunPollRequest): Promise<Result<RunPoll>>;
  /** As it stands, without its outputs: for lists. */
  listItem(request: { v: 1; workspace_id: string }): Promise<Result<ExecutionListItem>>;
  result(request: RunResultRequest): Promise<Result<RunResultDocument>>;
  /** Not `trace`, which the platform keeps for itself. */
  readTrace(request: RunReadRequest): Promise<Result<Trace>>;
  /** `not_found` for an unknown node, `invalid_request` for a cursor that is none. */
  readIterations(request: RunIterationsRequest): Promise<Result<TraceIterationPage>>;
  /** `not_completed` until the run is terminal. */
  outputs(request: RunOutputsRequest): Promise<Result<RunDocument>>;
  cancel(request: RunReadRequest): Promise<Result<Execution>>;
  /** A slot came free: a held run may begin. Repeats change nothing. */
  promote(request: { v: 1 }): Promise<void>;
  /**
   * Its workspace asks after a run that has had a slot for long. A run whose stored data cannot be read
   * ends there as failed; any other goes on, should its alarm have been lost.
   */
  audit(request: { v: 1; workspace_id: string }): Promise<void>;
  readCell(request: RunCellRequest): Promise<Result<RunCellText>>;
  /** `not_found` unless everything in the request is as the address of that file has it. */
  readFile(request: RunFileRequest): Promise<Result<RunFile>>;
  /**
   * The outputs' retention is over: says so in the run and removes a piece of what it has stored.
   * Repeats go on. `not_found` for a run that never began, `invalid_state` for one that has not ended.
   */
  expireOutputs(request: { v: 1; workspace_id: string }): Promise<Result<RunExpiry>>;
}

/** RPC surface of the run object that the API Worker and the workspace object use. */
import type { Result } from "../lib/result.ts";
import type { Execution, RunStart } from "./run.ts";

/** Who asks, and under which public address links are made. A run of another workspace answers `forbidden`. */
export interface RunReadRequest {
  readonly v: 1;
  readonly workspace_id: string;
  readonly base_url: string;
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

export interface RunObjectApi {
  /** Idempotent: the first start of a run id makes the run, a repeat answers it as it is. */
  start(start: RunStart): Promise<Result<Execution>>;
  read(request: RunReadRequest): Promise<Result<Execution>>;
  result(request: RunReadRequest): Promise<Result<RunDocument>>;
  /** `not_completed` until the run is terminal. */
  outputs(request: RunOutputsRequest): Promise<Result<RunDocument>>;
  cancel(request: RunReadRequest): Promise<Result<Execution>>;
  /** A slot came free: a held run may begin. Repeats change nothing. */
  promote(request: { v: 1 }): Promise<void>;
  readCell(request: RunCellRequest): Promise<Result<RunCellText>>;
}

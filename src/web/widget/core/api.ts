/** What the widget asks of the service, without the ways of a browser: tests give it scripted answers. */
import type { EmbedConfig } from "./config.ts";
import type { ResultView } from "./outputs.ts";
import type { InputEntry } from "./values.ts";

/** A refusal, or a failure of the network, as the widget tells it. */
export class ApiFailure extends Error {
  /** Of the problem; `network` if no response came. */
  readonly code: string;
  /** HTTP status; 0 without a response. */
  readonly status: number;
  /** Id to quote to support; null without a response. */
  readonly requestId: string | null;
  /** Paths of the refused parts of the request, such as `inputs.name`. */
  readonly fields: readonly string[];

  constructor(
    code: string,
    status: number,
    requestId: string | null = null,
    fields: readonly string[] = [],
  ) {
    super(code);
    this.code = code;
    this.status = status;
    this.requestId = requestId;
    this.fields = fields;
  }
}

/** Members of an execution that are read. */
export interface ExecutionView {
  readonly id: string;
  readonly status: string;
  readonly progress: number;
  readonly error_code?: string | null | undefined;
}

/** A stored file, as an upload returns it. */
export interface StoredFile {
  readonly path: string;
  readonly name: string;
  readonly content_type: string;
  readonly size_bytes: number;
}

/** Members of an upload session that are read (docs/contract/assets.md#upload-sessions). */
export interface SessionView {
  readonly status: string;
  readonly upload_id: string;
  readonly file_name: string;
  readonly content_type: string;
  readonly upload_url?: string | undefined;
  readonly required_headers?: Readonly<Record<string, string>> | undefined;
  readonly part_size_bytes?: number | undefined;
  readonly parts?:
    | readonly { readonly part_number: number; readonly confirmed: boolean }[]
    | undefined;
  readonly path?: string | undefined;
  readonly size_bytes?: number | undefined;
  readonly error_code?: string | null | undefined;
}

export interface SignedPart {
  readonly upload_url: string;
  readonly required_headers: Readonly<Record<string, string>>;
}

/** Bytes sent so far. */
export type OnSent = (bytes: number) => void;

/** Calls with one token. All throw `ApiFailure`, and the abort of their signal. */
export interface EmbedApi {
  config(): Promise<EmbedConfig>;
  /** Takes one run of the token's cap; null if the token has none. */
  takePermit(): Promise<string | null>;
  submit(
    body: {
      readonly inputs: Readonly<Record<string, InputEntry>>;
      readonly interface?: string;
      readonly permit?: string;
    },
    idempotencyKey: string,
  ): Promise<ExecutionView>;
  execution(id: string, signal: AbortSignal): Promise<ExecutionView>;
  result(id: string, signal: AbortSignal): Promise<ResultView>;
  cancel(id: string): Promise<void>;
  /** The text of the run's event stream, in pieces, from after `lastEventId`. */
  events(id: string, lastEventId: string, signal: AbortSignal): Promise<AsyncIterable<string>>;
  uploadFile(file: File, key: string, onSent: OnSent, signal: AbortSignal): Promise<StoredFile>;
  openSession(name: string, sizeBytes: number, key: string): Promise<SessionView>;
  readSession(id: string): Promise<SessionView>;
  signPart(id: string, part: number, sizeBytes: number, md5: string): Promise<SignedPart>;
  putBytes(
    url: string,
    headers: Readonly<Record<string, string>>,
    bytes: Blob,
    onSent: OnSent,
    signal: AbortSignal,
  ): Promise<void>;
  /** Ends a session: `complete` for parts, `finalize` for one PUT. */
  endSession(id: string, how: "complete" | "finalize"): Promise<SessionView>;
  abortSession(id: string): Promise<void>;
}

/** Time, for tests: `wait` returns early if the signal aborts. */
export interface Clock {
  nowMs(): number;
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

/** The clock of the machine. */
export const systemClock: Clock = {
  nowMs: () => Date.now(),
  wait: (ms, signal) =>
    new Promise((resolve) => {
      if (signal.aborted) {
        resolve();
        return;
      }
      const timer = setTimeout(done, ms);
      function done(): void {
        clearTimeout(timer);
        signal.removeEventListener("abort", done);
        resolve();
      }
      signal.addEventListener("abort", done);
    }),
};

/** Submits a run and polls until it ends, as a caller would. */
import type { Execution } from "../src/contracts/runs/run.ts";
import { isTerminal } from "../src/contracts/runs/run.ts";
import type { ApiClient } from "./api-client.ts";

export interface SubmitBody {
  readonly workflow: string;
  readonly inputs?: Readonly<
    Record<string, { readonly value: string } | { readonly asset_path: string }>
  >;
  readonly interface?: string;
  readonly version?: number;
}

/** Of a poll by default, which takes processor time from the run. */
const POLL_MS = 50;
const POLL_MAX_MS = 250;

export interface WaitOptions {
  /** Time between two polls; by default a tenth of the time so far, from 50 ms to 250 ms. */
  readonly pollMs?: number;
  readonly timeoutMs?: number;
  readonly onProgress?: (execution: Execution) => void;
}

/** Submits a run and returns its id. */
export async function submitRun(
  client: ApiClient,
  body: SubmitBody,
  idempotencyKey?: string,
): Promise<string> {
  const { id } = await client.call<{ id: string }>("POST", "/api/v1/executions", {
    body,
    ...(idempotencyKey === undefined ? {} : { headers: { "idempotency-key": idempotencyKey } }),
  });
  return id;
}

/** Polls until the run is terminal. Throws if it is not within `timeoutMs` (default 60,000). */
export async function waitForRun(
  client: ApiClient,
  runId: string,
  { pollMs, timeoutMs = 60_000, onProgress }: WaitOptions = {},
): Promise<Execution> {
  const began = performance.now();
  const deadline = began + timeoutMs;
  for (;;) {
    const execution = await client.call<Execution>("GET", `/api/v1/executions/${runId}`);
    onProgress?.(execution);
    if (isTerminal(execution.status)) {
      return execution;
    }
    if (performance.now() > deadline) {
      throw new Error(
        `${runId} has status ${execution.status} (${execution.progress} %) after ${timeoutMs} ms.`,
      );
    }
    const tenthMs = (performance.now() - began) / 10;
    const pauseMs = pollMs ?? Math.min(POLL_MAX_MS, Math.max(POLL_MS, tenthMs));
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

/** Submits a run, waits for its end and returns its id. `title` names it in the error that is thrown if it does not complete. */
export async function runToEnd(
  client: ApiClient,
  title: string,
  body: SubmitBody,
): Promise<string> {
  const runId = await submitRun(client, body);
  const { status, error_code: code, error_message: message } = await waitForRun(client, runId);
  if (status !== "completed") {
    throw new Error(`${title} ended with status ${status}: ${code} ${message}`);
  }
  return runId;
}

export interface ResultItem {
  readonly value?: unknown;
  readonly url?: string | null;
  readonly thumbnail_url?: string | null;
  readonly state?: string;
  readonly delivery: string;
  readonly raw_value?: string | null;
  readonly input_indices: readonly number[];
}

export interface ResultGroup {
  readonly key: string;
  readonly cardinality: "single" | "multiple";
  readonly state: "present" | "absent" | "missing" | "not_ready";
  readonly value?: unknown;
  readonly url?: string | null;
  readonly items: readonly ResultItem[];
}

export interface RunResult {
  readonly execution_id: string;
  readonly status: Execution["status"];
  readonly is_terminal: boolean;
  readonly result: {
    readonly by_key: Readonly<Record<string, ResultGroup>>;
    readonly items: readonly ResultItem[];
  };
  readonly diagnostics: { readonly warnings: readonly unknown[] };
}

/** Returns the result view of a run. */
export function readResult(client: ApiClient, runId: string): Promise<RunResult> {
  return client.call<RunResult>("GET", `/api/v1/executions/${runId}/result`);
}

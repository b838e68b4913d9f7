/** Calls of the service's batches of one-step runs, and of as many single submits. */
import type { ApiClient } from "../scripts/api-client.ts";
import { publish } from "../scripts/provision.ts";
import { chain } from "./bench-workflows.ts";
import { closedLoop } from "./closed-loop.ts";
import { httpCall } from "./http-call.ts";

/** `invalid_state`. */
const ALREADY_ENDED = 422;
export const CLIENTS = 8;
export const BATCH_MAX_MS = 300_000;
export const POLL_MS = 25;
/** Time after which the objects that have no calls are evicted, and their files are closed. */
export const EVICTED_AFTER_MS = 11_000;
/** Characters of an item's text, with which 10,000 items are 4 MB. */
export const TEXT_CHARS = 330;

/** A workspace's batches of one-step runs. */
export interface Caller {
  readonly client: ApiClient;
  readonly headers: Readonly<Record<string, string>>;
  readonly workflow: string;
}

interface Batch {
  readonly id: string;
  readonly status: string;
  readonly completed_at: string | null;
  readonly completed: number;
}

/** As many calls by `CLIENTS` clients. */
export const loopOf = (calls: number) => ({ clients: CLIENTS, starts: calls, forMs: Infinity });

/** A published workflow of one step, and what its batches are created with. */
export async function callerOf(client: ApiClient): Promise<Caller> {
  return {
    client,
    workflow: await publish(client, chain(1)),
    headers: {
      authorization: `Bearer ${await client.token()}`,
      "content-type": "application/json",
    },
  };
}

export function bodyOf({ workflow }: Caller, items: number, text = "", starts = true): string {
  const list = Array.from({ length: items }, (_, at) => itemOf(at, text));
  return JSON.stringify({ workflow, start: starts, items: list });
}

/** An item, which as a single submit has the same members. */
function itemOf(at: number, text = "") {
  return {
    client_reference: `${at}${text.slice(0, 200)}`,
    inputs: { start: { value: `${at}${" ".repeat(Math.max(0, text.length - 200))}` } },
  };
}

/** Creates a batch and waits until all its items have completed; throws otherwise. */
export async function batchToEnd(caller: Caller, items: number): Promise<void> {
  const { id } = await post(caller, "", bodyOf(caller, items));
  const { status, completed } = await ended(caller, id);
  if (status !== "completed" || completed !== items) {
    throw new Error(`${completed} of ${items} items completed: the measurement is discarded.`);
  }
}

/** Until the last of them has ended. */
export async function singlesToEnd(
  { client, headers, workflow }: Caller,
  items: number,
  words = "",
): Promise<void> {
  const url = `${client.baseUrl}/api/v1/executions`;
  const runs: string[] = [];
  let at = 0;
  await closedLoop(async () => {
    const body = JSON.stringify({ workflow, ...itemOf(at++, words) });
    const { status, text } = await httpCall("POST", url, { headers, body });
    if (status !== 202) {
      throw new Error(`A submit returned ${status}: ${text}`);
    }
    runs.push((JSON.parse(text) as { id: string }).id);
  }, loopOf(items));
  const { length } = runs;
  // They end in about the order of their submits: the last ones are asked until they have.
  for (const run of runs.slice(-CLIENTS)) {
    for (;;) {
      const { text } = await httpCall("GET", `${url}/${run}`, { headers });
      const { status } = JSON.parse(text) as { status: unknown };
      if (status === "completed") {
        break;
      }
      if (status !== "pending" && status !== "running") {
        throw new Error(`A run did not complete: ${text.slice(0, 300)}`);
      }
      await pause();
    }
  }
  if (length !== items) {
    throw new Error(`${length} of ${items} runs were submitted: the measurement is discarded.`);
  }
}

export async function post(
  { client, headers }: Caller,
  path: string,
  body: string,
): Promise<Batch> {
  const url = `${client.baseUrl}/api/v1/batch-executions${path}`;
  const { status, text } = await httpCall("POST", url, { headers, body });
  if (status >= 300) {
    throw new Error(`${path} returned ${status}: ${text.slice(0, 300)}`);
  }
  return JSON.parse(text) as Batch;
}

/** Cancels a batch, unless it has ended: a small one may be that quick. */
export async function cancelled(caller: Caller, id: string): Promise<void> {
  const { client, headers } = caller;
  const url = `${client.baseUrl}/api/v1/batch-executions/${id}/cancel`;
  const { status, text } = await httpCall("POST", url, { headers, body: "" });
  if (status >= 300 && status !== ALREADY_ENDED) {
    throw new Error(`The cancellation returned ${status}: ${text.slice(0, 300)}`);
  }
  await ended(caller, id);
}

export async function ended({ client, headers }: Caller, id: string): Promise<Batch> {
  const url = `${client.baseUrl}/api/v1/batch-executions/${id}`;
  for (const deadline = performance.now() + BATCH_MAX_MS; performance.now() < deadline;) {
    const { status, text } = await httpCall("GET", url, { headers });
    if (status !== 200) {
      throw new Error(`A poll of a batch returned ${status}: ${text.slice(0, 300)}`);
    }
    const batch = JSON.parse(text) as Batch;
    if (batch.completed_at !== null) {
      return batch;
    }
    await pause();
  }
  throw new Error(`A batch did not end within ${BATCH_MAX_MS} ms.`);
}

export function pause(ms = POLL_MS): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

export function commas(count: number): string {
  return count.toLocaleString("en-US");
}

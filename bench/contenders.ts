/** Everything that is measured, behind one surface: start something over HTTP, poll until it is over, check what came out. */
import type { ApiClient } from "../scripts/api-client.ts";
import { publish } from "../scripts/provision.ts";
import type { Execution } from "../src/contracts/run.ts";
import { isTerminal } from "../src/contracts/run.ts";
import { httpCall } from "./http-call.ts";

export const POLL_MS = 2;

export interface Started {
  /** Address to poll. */
  readonly pollUrl: string;
}

export interface Contender {
  readonly name: string;
  start(): Promise<Started>;
  /** Undefined while it runs; then its output, for the caller to check. */
  poll(started: Started): Promise<{ readonly value: unknown } | undefined>;
  /** Gets the output where `poll` only gave its address; not part of the time. */
  fetchOutput?(value: unknown): Promise<unknown>;
}

/** Wall milliseconds from the first byte sent to the first terminal answer, polled each 2 ms; throws on a wrong output. */
export async function timeRun(contender: Contender, expected: unknown): Promise<number> {
  const startedAt = performance.now();
  const started = await contender.start();
  for (;;) {
    const polledAt = performance.now();
    const over = await contender.poll(started);
    if (over !== undefined) {
      const elapsed = performance.now() - startedAt;
      check(contender, (await contender.fetchOutput?.(over.value)) ?? over.value, expected);
      return elapsed;
    }
    const restMs = POLL_MS - (performance.now() - polledAt);
    if (restMs > 0) {
      await sleep(restMs);
    }
  }
}

function check(contender: Contender, actual: unknown, expected: unknown): void {
  const [got, wanted] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (got !== wanted) {
    throw new Error(
      `${contender.name} gave ${got?.slice(0, 300)} where ${wanted?.slice(0, 300)} is right: no figure is made of this.`,
    );
  }
}

/** Timers of Node come up to a millisecond late; the last stretch is spent looking at the clock. */
async function sleep(ms: number): Promise<void> {
  const until = performance.now() + ms;
  if (ms > 1.5) {
    await new Promise((resolve) => setTimeout(resolve, ms - 1.2));
  }
  while (performance.now() < until) {
    await new Promise(setImmediate);
  }
}

/** A published workflow of the service. */
export async function edgeloom(client: ApiClient, workflow: unknown): Promise<Contender> {
  const id = await publish(client, workflow);
  const headers = {
    authorization: `Bearer ${await client.token()}`,
    "content-type": "application/json",
  };
  const body = JSON.stringify({ workflow: id });
  return {
    name: "Edgeloom",
    async start() {
      const answer = await httpCall("POST", `${client.baseUrl}/api/v1/executions`, {
        headers,
        body,
      });
      if (answer.status !== 202) {
        throw new Error(`Submit answered ${answer.status}: ${answer.text}`);
      }
      const run = JSON.parse(answer.text) as { id: string };
      return { pollUrl: `${client.baseUrl}/api/v1/executions/${run.id}` };
    },
    async poll({ pollUrl }) {
      const answer = await httpCall("GET", pollUrl, { headers });
      const run = JSON.parse(answer.text) as Execution;
      if (answer.status !== 200) {
        throw new Error(`A poll answered ${answer.status}: ${answer.text}`);
      }
      if (!isTerminal(run.status)) {
        return undefined;
      }
      if (run.status !== "completed") {
        throw new Error(`A run ended ${run.status}: ${run.error_code} ${run.error_message}`);
      }
      return { value: run.outputs[0]?.value ?? { url: run.outputs[0]?.url } };
    },
  };
}

/** One of the peers: POST `path`, GET `/?id=`. */
export function peer(name: string, baseUrl: string, path: string): Contender {
  return {
    name,
    async start() {
      const answer = await httpCall("POST", baseUrl + path);
      if (answer.status !== 202) {
        throw new Error(`${name} answered ${answer.status}: ${answer.text}`);
      }
      return { pollUrl: `${baseUrl}/?id=${(JSON.parse(answer.text) as { id: string }).id}` };
    },
    async poll({ pollUrl }) {
      const answer = await httpCall("GET", pollUrl);
      const state = JSON.parse(answer.text) as { done: boolean; value: unknown };
      return state.done ? { value: state.value } : undefined;
    },
  };
}

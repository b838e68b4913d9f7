/** Everything that is measured, behind one surface: start something over HTTP, poll until it is over, check what came out. */
import type { ApiClient } from "../scripts/api-client.ts";
import { publish } from "../scripts/provision.ts";
import type { Execution } from "../src/contracts/run.ts";
import { isTerminal } from "../src/contracts/run.ts";
import type { Trace } from "../src/contracts/trace.ts";
import type { BenchWorkflow } from "./bench-workflows.ts";
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
  /** Steps that a run has made, counted where they are made, each time they are made. */
  countEffects(started: Started): Promise<number>;
  /** Elements that are through the last step before they are brought together. */
  countSettled?(started: Started): Promise<number>;
}

export interface TimeOptions {
  /** Steps that the run must have made, no more and no fewer; not part of the time. */
  readonly effects?: number;
  readonly pollMs?: number;
  /** Two minutes where nothing is said. */
  readonly maxMs?: number;
}

/** A run did not end in the time it was given. */
export class RunTooLong extends Error {
  override readonly name = "RunTooLong";
}

/** Wall milliseconds from the first byte sent to the first terminal answer, polled each 2 ms; throws on a wrong output or count of effects. */
export async function timeRun(
  contender: Contender,
  expected: unknown,
  { effects, pollMs = POLL_MS, maxMs = RUN_MAX_MS }: TimeOptions = {},
): Promise<number> {
  const startedAt = performance.now();
  const started = await contender.start();
  const value = await pollToEnd(contender, started, pollMs, maxMs);
  const elapsed = performance.now() - startedAt;
  await checkOutput(contender, value, expected);
  if (effects !== undefined) {
    await checkEffects(contender, started, effects);
  }
  return elapsed;
}

/** What the run put out, as its last poll told it. Throws RunTooLong when its time is up. */
async function pollToEnd(
  contender: Contender,
  started: Started,
  pollMs: number,
  maxMs = RUN_MAX_MS,
): Promise<unknown> {
  const deadline = performance.now() + maxMs;
  while (performance.now() < deadline) {
    const polledAt = performance.now();
    const over = await contender.poll(started);
    if (over !== undefined) {
      return over.value;
    }
    await sleep(Math.max(pollMs - (performance.now() - polledAt), 0));
  }
  throw new RunTooLong(`${contender.name} has not ended a run after ${maxMs} ms.`);
}

const RUN_MAX_MS = 120_000;

/** Starts a run and waits for its end; its effects are for the caller to check when its clock stands. */
export async function runOnce(
  contender: Contender,
  expected: unknown,
  pollMs: number,
): Promise<Started> {
  const started = await contender.start();
  await checkOutput(contender, await pollToEnd(contender, started, pollMs), expected);
  return started;
}

/** Waits for the end of each of many runs. Throws on a wrong output. */
export async function awaitEnds(
  contender: Contender,
  runs: readonly Started[],
  expected: unknown,
): Promise<void> {
  for (const run of runs) {
    await checkOutput(contender, await pollToEnd(contender, run, 50), expected);
  }
}

/** Throws unless the run has made exactly so many steps. */
export async function checkEffects(
  contender: Contender,
  started: Started,
  expected: number,
): Promise<void> {
  const made = await contender.countEffects(started);
  if (made !== expected) {
    throw new Error(
      `${contender.name} made ${made} steps where ${expected} are right: no figure is made of this.`,
    );
  }
}

export interface FanTimes {
  readonly firstMs: number;
  readonly lastMs: number;
}

/** Wall milliseconds from the POST until a poll shows the first element settled, and until one shows all. */
export async function timeFan(contender: Contender, items: number): Promise<FanTimes> {
  const startedAt = performance.now();
  const started = await contender.start();
  let firstMs: number | undefined;
  for (;;) {
    const polledAt = performance.now();
    const settled = (await contender.countSettled?.(started)) ?? Number.NaN;
    const elapsed = performance.now() - startedAt;
    if (Number.isNaN(settled) || settled > items || elapsed > RUN_MAX_MS) {
      throw new Error(`${contender.name} shows ${settled} of ${items} after ${elapsed} ms.`);
    }
    firstMs ??= settled > 0 ? elapsed : undefined;
    if (settled === items) {
      return { firstMs: firstMs ?? elapsed, lastMs: elapsed };
    }
    await sleep(Math.max(POLL_MS - (performance.now() - polledAt), 0));
  }
}

async function checkOutput(contender: Contender, value: unknown, expected: unknown): Promise<void> {
  const actual = (await contender.fetchOutput?.(value)) ?? value;
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
export async function edgeloom(client: ApiClient, workflow: BenchWorkflow): Promise<Contender> {
  const id = await publish(client, workflow);
  const steps = workflow.definition.nodes.filter(({ type }) => STEP.test(type));
  const headers = {
    authorization: `Bearer ${await client.token()}`,
    "content-type": "application/json",
  };
  const body = JSON.stringify({ workflow: id });
  /** Iterations that each step has completed, by what the run's trace says. */
  const completed = async ({ pollUrl }: Started) => {
    const response = await httpCall("GET", `${pollUrl}/trace`, { headers });
    if (response.status !== 200) {
      throw new Error(`A trace answered ${response.status}: ${response.text}`);
    }
    const { nodes } = JSON.parse(response.text) as Trace;
    return steps.map(({ id: step }) => {
      const node = nodes.find(({ node_id: nodeId }) => nodeId === step);
      return node?.iterations.completed ?? 0;
    });
  };
  return {
    name: "Edgeloom",
    async countEffects(started) {
      return (await completed(started)).reduce((sum, count) => sum + count, 0);
    },
    async countSettled(started) {
      return (await completed(started)).at(-1) ?? 0;
    },
    async start() {
      const response = await httpCall("POST", `${client.baseUrl}/api/v1/executions`, {
        headers,
        body,
      });
      if (response.status !== 202) {
        throw new Error(`Submit answered ${response.status}: ${response.text}`);
      }
      const run = JSON.parse(response.text) as { id: string };
      return { pollUrl: `${client.baseUrl}/api/v1/executions/${run.id}` };
    },
    async poll({ pollUrl }) {
      const response = await httpCall("GET", pollUrl, { headers });
      const run = JSON.parse(response.text) as Execution;
      if (response.status !== 200) {
        throw new Error(`A poll answered ${response.status}: ${response.text}`);
      }
      if (!isTerminal(run.status)) {
        return undefined;
      }
      if (run.status !== "completed") {
        throw new Error(`A run ended ${run.status}: ${run.error_code} ${run.error_message}`);
      }
      return { value: run.outputs[0]?.value ?? { url: run.outputs[0]?.url } };
    },
    /** A long text lies at an address. */
    async fetchOutput(value) {
      const url = (value as { url?: string } | null)?.url;
      return url === undefined ? value : (await httpCall("GET", url)).text;
    },
  };
}

/** What is neither brought in, taken apart, brought together nor put out. */
const STEP = /^(text|utility|image)\//;

interface PeerState {
  readonly done: boolean;
  readonly value: unknown;
  readonly settled: number;
  readonly effects: number;
  readonly error?: string;
}

/** One of the peers: POST `path`, GET `/?id=`. */
export function peer(name: string, baseUrl: string, path: string): Contender {
  const read = async ({ pollUrl }: Started) => {
    const response = await httpCall("GET", pollUrl);
    if (response.status !== 200) {
      throw new Error(`A poll of ${name} answered ${response.status}: ${response.text}`);
    }
    const state = JSON.parse(response.text) as PeerState;
    if (state.error !== undefined) {
      throw new Error(`${name} failed: ${state.error}`);
    }
    return state;
  };
  return {
    name,
    async start() {
      const response = await httpCall("POST", baseUrl + path);
      if (response.status !== 202) {
        throw new Error(`${name} answered ${response.status}: ${response.text}`);
      }
      return { pollUrl: `${baseUrl}/?id=${(JSON.parse(response.text) as { id: string }).id}` };
    },
    async poll(started) {
      const state = await read(started);
      return state.done ? { value: state.value } : undefined;
    },
    countEffects: async (started) => (await read(started)).effects,
    countSettled: async (started) => (await read(started)).settled,
  };
}

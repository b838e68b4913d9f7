/** The common interface of everything that is measured: start a run over HTTP, poll until it ends, check its output. */
import type { ApiClient } from "../scripts/api-client.ts";
import { publish } from "../scripts/provision.ts";
import type { Execution } from "../src/contracts/runs/run.ts";
import { isTerminal } from "../src/contracts/runs/run.ts";
import type { Trace } from "../src/contracts/runs/trace.ts";
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
  /** Undefined while the run is live; then its output, for the caller to check. */
  poll(started: Started): Promise<{ readonly value: unknown } | undefined>;
  /** Fetches the output if `poll` only returned its address; not part of the measured time. */
  fetchOutput?(value: unknown): Promise<unknown>;
  /** Number of steps that a run has made, counted inside each step, every time it runs. */
  countEffects(started: Started): Promise<number>;
  /** Elements that have passed the last step before the aggregate. */
  countSettled?(started: Started): Promise<number>;
}

export interface TimeOptions {
  /** Number of steps that the run must have made exactly; not part of the measured time. */
  readonly effects?: number;
  readonly pollMs?: number;
  /** Two minutes if omitted. */
  readonly maxMs?: number;
}

/** A run did not end within its time limit. */
export class RunTooLong extends Error {
  override readonly name = "RunTooLong";
}

/**
 * Wall milliseconds from the first byte sent to the first terminal response, polled every 2 ms. Throws for a wrong
 * output or step count.
 */
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

/** Returns the run's output from its last poll. Throws RunTooLong when its time is up. */
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
  throw new RunTooLong(`${contender.name} did not end a run within ${maxMs} ms.`);
}

const RUN_MAX_MS = 120_000;

/** Starts a run and waits for its end; the caller checks its steps outside the measured time. */
export async function runOnce(
  contender: Contender,
  expected: unknown,
  pollMs: number,
): Promise<Started> {
  const started = await contender.start();
  await checkOutput(contender, await pollToEnd(contender, started, pollMs), expected);
  return started;
}

/** Waits for the end of many runs. Throws for a wrong output. */
export async function awaitEnds(
  contender: Contender,
  runs: readonly Started[],
  expected: unknown,
): Promise<void> {
  for (const run of runs) {
    await checkOutput(contender, await pollToEnd(contender, run, 50), expected);
  }
}

/** Throws unless the run has made exactly this number of steps. */
export async function checkEffects(
  contender: Contender,
  started: Started,
  expected: number,
): Promise<void> {
  const made = await contender.countEffects(started);
  if (made !== expected) {
    throw new Error(
      `${contender.name} made ${made} steps instead of ${expected}: the measurement is discarded.`,
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
      `${contender.name} returned ${got?.slice(0, 300)} instead of ${wanted?.slice(0, 300)}: the measurement is discarded.`,
    );
  }
}

/** Timers of Node are up to a millisecond late, so the last part of the wait polls the clock. */
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
  /** Completed iterations of each step, from the run's trace. */
  const completed = async ({ pollUrl }: Started) => {
    const response = await httpCall("GET", `${pollUrl}/trace`, { headers });
    if (response.status !== 200) {
      throw new Error(`A trace returned ${response.status}: ${response.text}`);
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
        throw new Error(`Submit returned ${response.status}: ${response.text}`);
      }
      const run = JSON.parse(response.text) as { id: string };
      return { pollUrl: `${client.baseUrl}/api/v1/executions/${run.id}` };
    },
    async poll({ pollUrl }) {
      const response = await httpCall("GET", pollUrl, { headers });
      const run = JSON.parse(response.text) as Execution;
      if (response.status !== 200) {
        throw new Error(`A poll returned ${response.status}: ${response.text}`);
      }
      if (!isTerminal(run.status)) {
        return undefined;
      }
      if (run.status !== "completed") {
        throw new Error(
          `A run ended with status ${run.status}: ${run.error_code} ${run.error_message}`,
        );
      }
      return { value: run.outputs[0]?.value ?? { url: run.outputs[0]?.url } };
    },
    /** A long text is stored at an address. */
    async fetchOutput(value) {
      const url = (value as { url?: string } | null)?.url;
      return url === undefined ? value : (await httpCall("GET", url)).text;
    },
  };
}

/** Node types other than inputs, enumerators, aggregators and outputs. */
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
      throw new Error(`A poll of ${name} returned ${response.status}: ${response.text}`);
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

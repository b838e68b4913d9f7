import type { ApiClient } from "../scripts/api-client.ts";
import { publish } from "../scripts/provision.ts";
import { type Execution, isTerminal } from "../src/contracts/runs/run.ts";
import type { Trace } from "../src/contracts/runs/trace.ts";
import { failingCodes } from "./bench-workflows.ts";
import type { Figure } from "./figure.ts";
import { spread } from "./statistics.ts";

export interface RerunOptions {
  readonly items?: number;
  readonly warmUpItems?: number;
  readonly rounds?: number;
}

/** Few polls, since each takes time of the thread that draws. */
const POLL_EVERY_MS = 100;
const RUN_MAX_MS = 300_000;

/** One item in this many fails. */
const FAILS_EVERY = 100;

/** An article number has 12 digits and a check digit. */
const TOO_SHORT = 5;
const REPAIRED = 200_000_000_000;

/** A run until its end: its time, and the numbers of drawn and failed codes from its trace. */
interface Ended {
  readonly ms: number;
  readonly drawn: number;
  readonly failed: number;
}

/**
 * W9: a run of which 1 % of the items fail, then the same run with the cause fixed, as a caller does today: the service
 * has no reruns that reuse completed items, so all of them run again.
 */
export async function measureRerun(
  client: ApiClient,
  { items = 10_000, warmUpItems = 200, rounds = 2 }: RerunOptions = {},
): Promise<Figure[]> {
  await runTwice(client, warmUpItems);
  const [first, second] = [[] as Ended[], [] as Ended[]];
  for (let round = 0; round < rounds; round += 1) {
    const [broken, repaired] = await runTwice(client, items);
    first.push(broken);
    second.push(repaired);
  }
  const run = `a run of ${commas(items)} EAN-13 codes of which ${commas(items / FAILS_EVERY)} failed`;
  return [
    {
      workload: "W9",
      name: `${run}, submitted again with the cause fixed`,
      unit: "s",
      ours: spread(second.map(({ ms }) => ms / 1000)),
      beside: [{ name: "its first run", value: spread(first.map(({ ms }) => ms / 1000)) }],
      targets: [],
    },
    {
      workload: "W9",
      name: `${run}: codes drawn by the second run`,
      unit: "codes",
      ours: spread(second.map(({ drawn }) => drawn)),
      beside: [
        { name: "drawn by the first", value: spread(first.map(({ drawn }) => drawn)) },
        { name: "ideal, those that failed", value: spread(first.map(({ failed }) => failed)) },
      ],
      targets: [],
      note: `${commas(Math.min(...second.map(({ drawn }, i) => drawn - (first[i]?.failed ?? 0))))} were done already and are repeated`,
    },
  ];
}

/** Both runs of one workflow. Throws unless each drew, failed and returned exactly the expected items. */
async function runTwice(client: ApiClient, items: number): Promise<[Ended, Ended]> {
  const workflow = await publish(client, failingCodes(items, FAILS_EVERY));
  const failing = items / FAILS_EVERY;
  return [
    await runToEnd(client, workflow, TOO_SHORT, {
      status: "partial_success",
      drawn: items - failing,
      failed: failing,
    }),
    await runToEnd(client, workflow, REPAIRED, { status: "completed", drawn: items, failed: 0 }),
  ];
}

async function runToEnd(
  client: ApiClient,
  workflow: string,
  odd: number,
  expected: { readonly status: string; readonly drawn: number; readonly failed: number },
): Promise<Ended> {
  const body = { workflow, inputs: { odd: { value: String(odd) } } };
  const startedAt = performance.now();
  const { id } = await client.call<Execution>("POST", "/api/v1/executions", { body });
  const run = await pollToEnd(client, id);
  const ms = performance.now() - startedAt;
  const trace = await client.call<Trace>("GET", `/api/v1/executions/${id}/trace`);
  const { completed, failed } = iterationsOf(trace, "code");
  const lines = iterationsOf(trace, "text").completed;
  const actual = `${run.status}: ${lines} texts, ${completed} codes, ${failed} failed, put out ${String(run.outputs[0]?.value)}`;
  const { status, drawn } = expected;
  const wanted = `${status}: ${drawn + expected.failed} texts, ${drawn} codes, ${expected.failed} failed, put out ${drawn}`;
  if (actual !== wanted) {
    throw new Error(`A run ended as ${actual} instead of ${wanted}: the measurement is discarded.`);
  }
  return { ms, drawn: completed, failed };
}

async function pollToEnd(client: ApiClient, id: string): Promise<Execution> {
  for (const deadline = performance.now() + RUN_MAX_MS; performance.now() < deadline;) {
    const run = await client.call<Execution>("GET", `/api/v1/executions/${id}`);
    if (isTerminal(run.status)) {
      return run;
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_EVERY_MS));
  }
  throw new Error(`A run did not end within ${RUN_MAX_MS} ms.`);
}

function iterationsOf({ nodes }: Trace, node: string): Trace["totals"]["iterations"] {
  const found = nodes.find(({ node_id: id }) => id === node);
  if (found === undefined) {
    throw new Error(`The trace has no node "${node}".`);
  }
  return found.iterations;
}

function commas(count: number): string {
  return count.toLocaleString("en-US");
}

import type { ApiClient } from "../scripts/api-client.ts";
import { publish } from "../scripts/provision.ts";
import { type Execution, isTerminal } from "../src/contracts/runs/run.ts";
import type { Trace } from "../src/contracts/runs/trace.ts";
import { failingCodes } from "./bench-workflows.ts";
import { atMost, type Figure } from "./figure.ts";
import { median, spread } from "./statistics.ts";

export interface RerunOptions {
  readonly items?: number;
  readonly warmUpItems?: number;
  readonly rounds?: number;
  /** False submits the run again, for builds without retries. */
  readonly isRetried?: boolean;
}

/** Few polls, since each takes time of the thread that draws. */
const POLL_EVERY_MS = 100;
const RUN_MAX_MS = 300_000;

/** One item in this many fails. */
const FAILS_EVERY = 100;

/** An article number has 12 digits and a check digit. */
const TOO_SHORT = 5;
const REPAIRED = 200_000_000_000;

/** At most, of the first run. */
const [TIME_MAX, DRAWN_MAX] = [0.1, 0.03] as const;

/** A run until its end: its time, and the numbers of codes from its trace that it drew itself and that failed. */
interface Ended {
  readonly id: string;
  readonly ms: number;
  readonly drawn: number;
  readonly failed: number;
}

/**
 * W9: a run of which 1 % of the items fail, then its retry with the cause fixed. The corrected input reaches every item,
 * and changes what follows from 1 % of them.
 */
export async function measureRerun(
  client: ApiClient,
  { items = 10_000, warmUpItems = 200, rounds = 2, isRetried = true }: RerunOptions = {},
): Promise<Figure[]> {
  await runTwice(client, warmUpItems, isRetried);
  const [first, second] = [[] as Ended[], [] as Ended[]];
  for (let round = 0; round < rounds; round += 1) {
    const [broken, repaired] = await runTwice(client, items, isRetried);
    first.push(broken);
    second.push(repaired);
  }
  const run = `a run of ${commas(items)} EAN-13 codes of which ${commas(items / FAILS_EVERY)} failed`;
  return [
    {
      workload: "W9",
      name: `${run}, ${isRetried ? "retried" : "submitted again"} with the cause fixed`,
      unit: "s",
      ours: spread(second.map(({ ms }) => ms / 1000)),
      beside: [{ name: "its first run", value: spread(first.map(({ ms }) => ms / 1000)) }],
      targets: isRetried
        ? [atMost(`≤ ${TIME_MAX} × its first run`, ratioOf(second, first, "ms"), TIME_MAX)]
        : [],
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
      targets: isRetried
        ? [atMost(`≤ ${DRAWN_MAX} × the first`, ratioOf(second, first, "drawn"), DRAWN_MAX)]
        : [],
    },
  ];
}

function ratioOf(second: readonly Ended[], first: readonly Ended[], of: "ms" | "drawn"): number {
  return median(second.map((one) => one[of])) / median(first.map((one) => one[of]));
}

/** Both runs of one workflow. Throws unless each drew, failed and returned exactly the expected items. */
async function runTwice(
  client: ApiClient,
  items: number,
  isRetried: boolean,
): Promise<[Ended, Ended]> {
  const workflow = await publish(client, failingCodes(items, FAILS_EVERY));
  const failing = items / FAILS_EVERY;
  const submit = (odd: number) => ({
    path: "/api/v1/executions",
    body: { workflow, ...odds(odd) },
  });
  const first = await runToEnd(client, submit(TOO_SHORT), {
    status: "partial_success",
    completed: items - failing,
    reused: 0,
    failed: failing,
  });
  const fixed = { status: "completed", completed: items, failed: 0 };
  const second = isRetried
    ? await runToEnd(
        client,
        { path: `/api/v1/executions/${first.id}/retry`, body: odds(REPAIRED) },
        { ...fixed, reused: items - failing },
      )
    : await runToEnd(client, submit(REPAIRED), { ...fixed, reused: 0 });
  return [first, second];
}

function odds(odd: number) {
  return { inputs: { odd: { value: String(odd) } } };
}

async function runToEnd(
  client: ApiClient,
  { path, body }: { readonly path: string; readonly body: object },
  expected: {
    readonly status: string;
    readonly completed: number;
    readonly reused: number;
    readonly failed: number;
  },
): Promise<Ended> {
  const startedAt = performance.now();
  const { id } = await client.call<Execution>("POST", path, { body });
  const run = await pollToEnd(client, id);
  const ms = performance.now() - startedAt;
  const trace = await client.call<Trace>("GET", `/api/v1/executions/${id}/trace`);
  // A build without retries has no such count.
  const { completed, failed, reused = 0 } = iterationsOf(trace, "code");
  const lines = iterationsOf(trace, "text").completed;
  const told = (of: Omit<typeof expected, "status">) =>
    `${of.completed} codes, ${of.reused} of them taken over, ${of.failed} failed`;
  const actual = `${run.status}: ${lines} texts, ${told({ completed, failed, reused })}, put out ${String(run.outputs[0]?.value)}`;
  const wanted = `${expected.status}: ${expected.completed + expected.failed} texts, ${told(expected)}, put out ${expected.completed}`;
  if (actual !== wanted) {
    throw new Error(`A run ended as ${actual} instead of ${wanted}: the measurement is discarded.`);
  }
  return { id, ms, drawn: completed - reused, failed };
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

function iterationsOf(
  { nodes }: Trace,
  node: string,
): Partial<Trace["totals"]["iterations"]> & { completed: number; failed: number } {
  const found = nodes.find(({ node_id: id }) => id === node);
  if (found === undefined) {
    throw new Error(`The trace has no node "${node}".`);
  }
  return found.iterations;
}

function commas(count: number): string {
  return count.toLocaleString("en-US");
}

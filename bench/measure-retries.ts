import type { ApiClient } from "../scripts/api-client.ts";
import { publish } from "../scripts/provision.ts";
import { type Execution, isTerminal } from "../src/contracts/runs/run.ts";
import type { Trace } from "../src/contracts/runs/trace.ts";
import { atMost, type Figure } from "./figure.ts";
import { median, spread } from "./statistics.ts";

export interface RetryOptions {
  readonly items?: number;
  readonly warmUpItems?: number;
  readonly rounds?: number;
}

/** Few polls, since each takes time of the thread that draws. */
const POLL_EVERY_MS = 100;
const RUN_MAX_MS = 300_000;
/** One item in this many has too few digits for its code. */
const FAILS_EVERY = 100;
const FIRST = 100_000_000_000;
const [EXECUTED_MAX, TIME_MAX] = [0.03, 0.1] as const;
const NODES = ["code", "passed", "line"] as const;
/** The node whose parameter is edited. Nothing but the output reads it. */
const LEAF = "line" satisfies (typeof NODES)[number];

/** Executions of each node that the run made itself, and the time of the run. */
interface Ended {
  readonly id: string;
  readonly ms: number;
  readonly executed: Readonly<Record<(typeof NODES)[number], number>>;
}

/** Retries of a run of three nodes over each item, of which 1 % failed: as it is, and with another parameter of its last node. */
export async function measureRetries(
  client: ApiClient,
  { items = 10_000, warmUpItems = 200, rounds = 5 }: RetryOptions = {},
): Promise<Figure[]> {
  await measureOnce(client, warmUpItems);
  const [first, again, edited] = [[] as Ended[], [] as Ended[], [] as Ended[]];
  for (let round = 0; round < rounds; round += 1) {
    const measured = await measureOnce(client, items);
    first.push(measured.first);
    again.push(measured.again);
    edited.push(measured.edited);
  }
  const times = (runs: readonly Ended[]) => runs.map(({ ms }) => ms / 1_000);
  const executionsOf = (nodes: readonly (typeof NODES)[number][]) => (runs: readonly Ended[]) =>
    runs.map(({ executed }) => nodes.reduce((sum, node) => sum + executed[node], 0));
  const executions = executionsOf(NODES);
  const others = executionsOf(NODES.filter((node) => node !== LEAF));
  const leaf = executionsOf([LEAF]);
  const ofAll = median(executions(first));
  const ratio = (of: (runs: readonly Ended[]) => number[]) => median(of(again)) / median(of(first));
  const run = `a run of ${commas(items)} items over three nodes, of which 1 % failed`;
  const beside = (of: (runs: readonly Ended[]) => number[]) => [
    { name: "its first run", value: spread(of(first)) },
    { name: "its retry with another parameter of the last node", value: spread(of(edited)) },
  ];
  return [
    {
      name: `retry of ${run}`,
      unit: "s",
      ours: spread(times(again)),
      beside: beside(times),
      targets: [atMost(`≤ ${TIME_MAX} × its first run`, ratio(times), TIME_MAX)],
      note: "the failed items fail again, because their numbers are what is wrong",
    },
    {
      name: `retry of ${run}: executions`,
      unit: "executions",
      ours: spread(executions(again)),
      beside: beside(executions),
      targets: [atMost(`≤ ${EXECUTED_MAX} × its first run`, ratio(executions), EXECUTED_MAX)],
    },
    {
      name: `retry of ${run}, with another parameter of the last node: executions`,
      unit: "executions",
      ours: spread(executions(edited)),
      beside: [
        { name: "its first run", value: spread(executions(first)) },
        { name: "of the last node", value: spread(leaf(edited)) },
      ],
      targets: [
        atMost("the last node ≤ once for each item", median(leaf(edited)) / median(leaf(first)), 1),
        atMost(
          `all others ≤ ${EXECUTED_MAX} × its first run`,
          median(others(edited)) / ofAll,
          EXECUTED_MAX,
        ),
      ],
      note: "the other executions are those of the failed items, as in the retry as it is",
    },
  ];
}

async function measureOnce(client: ApiClient, items: number) {
  const workflow = await publish(client, {
    name: "Bench: checks",
    definition: definitionOf("[passed]"),
  });
  const failing = items / FAILS_EVERY;
  const whole = items - failing;
  const numbers = Array.from({ length: items }, (_, at) =>
    (at + 1) % FAILS_EVERY === 0 ? "12345" : String(FIRST + at),
  );
  const first = await runToEnd(client, "/api/v1/executions", {
    workflow,
    inputs: { numbers: { value: JSON.stringify(numbers) } },
  });
  expectExecuted(first, { code: items, passed: whole, line: whole });
  const retry = `/api/v1/executions/${first.id}/retry`;
  const again = await runToEnd(client, retry, {});
  expectExecuted(again, { code: failing, passed: 0, line: 0 });
  await client.call("PUT", `/api/v1/workflows/${workflow}/definition`, {
    headers: { "if-match": "*" },
    body: definitionOf("It says [passed]."),
  });
  const edited = await runToEnd(client, retry, { version: "draft" });
  expectExecuted(edited, { code: failing, passed: 0, line: whole });
  return { first, again, edited };
}

function expectExecuted({ executed }: Ended, expected: Ended["executed"]): void {
  const [actual, wanted] = [executed, expected].map((counts) => JSON.stringify(counts));
  if (actual !== wanted) {
    throw new Error(`${actual} in place of ${wanted}: the measurement is discarded.`);
  }
}

async function runToEnd(client: ApiClient, path: string, body: object): Promise<Ended> {
  const startedAt = performance.now();
  const { id } = await client.call<Execution>("POST", path, { body });
  await pollToEnd(client, id);
  const ms = performance.now() - startedAt;
  const { nodes } = await client.call<Trace>("GET", `/api/v1/executions/${id}/trace`);
  const executedBy = (node: string) => {
    const {
      completed = 0,
      failed = 0,
      reused = 0,
    } = nodes.find(({ node_id: nodeId }) => nodeId === node)?.iterations ?? {};
    return completed + failed - reused;
  };
  const executed = {
    code: executedBy("code"),
    passed: executedBy("passed"),
    line: executedBy("line"),
  };
  return { id, ms, executed };
}

async function pollToEnd(client: ApiClient, id: string): Promise<void> {
  for (const deadline = performance.now() + RUN_MAX_MS; performance.now() < deadline;) {
    const { status } = await client.call<Execution>("GET", `/api/v1/executions/${id}`);
    if (isTerminal(status)) {
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_EVERY_MS));
  }
  throw new Error(`A run did not end within ${RUN_MAX_MS} ms.`);
}

/** Draws each number as an EAN-13 code and reads it back, picks whether that passed, and prints it. */
function definitionOf(template: string) {
  return {
    nodes: [
      {
        id: "numbers",
        type: "input/json",
        label: "numbers",
        parameters: {
          jsonConfig: { properties: [{ path: "$", outputPort: "text", outputType: "text" }] },
        },
      },
      { id: "code", type: "image/code", parameters: { symbology: "ean13", size: 128 } },
      { id: "passed", type: "utility/json_path", parameters: { path: "$.passed" } },
      {
        id: "line",
        type: "text/template",
        parameters: { template, placeholders: [{ inputPort: "passed" }] },
      },
      { id: "out", type: "output/text", parameters: { key: "out" } },
    ],
    connections: [
      { from: { node: "numbers", port: "text" }, to: { node: "code", port: "text" } },
      { from: { node: "code", port: "check" }, to: { node: "passed", port: "json" } },
      { from: { node: "passed", port: "value" }, to: { node: "line", port: "passed" } },
      { from: { node: "line", port: "text" }, to: { node: "out", port: "text" } },
    ],
  };
}

function commas(count: number): string {
  return count.toLocaleString("en-US");
}

import type { ApiClient } from "../scripts/api-client.ts";
import { publish } from "../scripts/provision.ts";
import type { BatchExport, ExportFormat } from "../src/contracts/batches/batch-export.ts";
import type { BatchExecution } from "../src/contracts/batches/batch.ts";
import { atMost, type Figure } from "./figure.ts";
import { median, spread } from "./statistics.ts";

export interface BatchExportOptions {
  readonly items?: number;
  readonly rounds?: number;
}

const POLL_EVERY_MS = 50;
const WAIT_MAX_MS = 900_000;

/** At most: CSV of the batch's own time, XLSX of that of CSV. */
const [CSV_MAX, XLSX_MAX] = [0.2, 2] as const;

const ECHO = {
  name: "Bench: echo",
  definition: {
    nodes: [
      { id: "in", type: "input/text", label: "Words", parameters: { required: true } },
      { id: "out", type: "output/text", label: "Said", parameters: {} },
    ],
    connections: [{ from: { node: "in", port: "text" }, to: { node: "out", port: "text" } }],
  },
};

interface Times {
  readonly batch: number;
  readonly csv: number;
  readonly xlsx: number;
}

/** A batch of one-step items, and then its export as CSV and XLSX, each from the request until it is complete. */
export async function measureBatchExports(
  client: ApiClient,
  { items = 10_000, rounds = 5 }: BatchExportOptions = {},
): Promise<Figure[]> {
  const workflow = await publish(client, ECHO);
  const times: Times[] = [];
  for (let round = 0; round < rounds; round += 1) {
    times.push(await timesOf(client, workflow, items, round));
  }
  const seconds = (of: keyof Times) => spread(times.map((each) => each[of] / 1000));
  const ratio = (a: keyof Times, b: keyof Times) => median(times.map((each) => each[a] / each[b]));
  const batch = `a batch of ${items.toLocaleString("en-US")} one-step items`;
  return [
    {
      name: `export of ${batch} as CSV`,
      unit: "s",
      ours: seconds("csv"),
      beside: [{ name: "the batch itself", value: seconds("batch") }],
      targets: [atMost(`≤ ${CSV_MAX} × the batch`, ratio("csv", "batch"), CSV_MAX)],
    },
    {
      name: `export of ${batch} as XLSX`,
      unit: "s",
      ours: seconds("xlsx"),
      beside: [{ name: "as CSV", value: seconds("csv") }],
      targets: [atMost(`≤ ${XLSX_MAX} × CSV`, ratio("xlsx", "csv"), XLSX_MAX)],
    },
  ];
}

/** In odd rounds XLSX is built first, which finds the runs as the batch has left them. */
async function timesOf(
  client: ApiClient,
  workflow: string,
  items: number,
  round: number,
): Promise<Times> {
  const path = "/api/v1/batch-executions";
  const words = (at: number) => JSON.stringify(`word ${at}`);
  const body = {
    workflow,
    items: Array.from({ length: items }, (_, at) => ({ inputs: { words: { value: words(at) } } })),
  };
  const begunAt = performance.now();
  const { id } = await client.call<BatchExecution>("POST", path, { body });
  const ended = await poll(() => client.call<BatchExecution>("GET", `${path}/${id}`), isEnded);
  const batch = performance.now() - begunAt;
  if (ended.completed !== items) {
    throw new Error(`${ended.completed} of ${items} items completed: discarded.`);
  }
  const order: readonly ExportFormat[] = round % 2 === 0 ? ["csv", "xlsx"] : ["xlsx", "csv"];
  const took = new Map<ExportFormat, number>();
  for (const format of order) {
    took.set(format, await exportTime(client, `${path}/${id}/exports`, format, items));
  }
  return { batch, csv: took.get("csv") ?? 0, xlsx: took.get("xlsx") ?? 0 };
}

async function exportTime(
  client: ApiClient,
  path: string,
  format: ExportFormat,
  items: number,
): Promise<number> {
  const begunAt = performance.now();
  await client.call("POST", path, { body: { format } });
  const status = await poll(
    () => client.call<BatchExport>("GET", `${path}/${format}`),
    (now) => now.status !== "building",
  );
  const ms = performance.now() - begunAt;
  if (status.status !== "completed" || status.row_count !== items || status.size_bytes === 0) {
    throw new Error(`The ${format} export ended as ${JSON.stringify(status)}: discarded.`);
  }
  return ms;
}

function isEnded({ completed_at: at }: BatchExecution): boolean {
  return at !== null;
}

async function poll<T>(read: () => Promise<T>, isOver: (now: T) => boolean): Promise<T> {
  for (const deadline = performance.now() + WAIT_MAX_MS; performance.now() < deadline;) {
    const now = await read();
    if (isOver(now)) {
      return now;
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_EVERY_MS));
  }
  throw new Error("Nothing ended within a quarter of an hour: discarded.");
}

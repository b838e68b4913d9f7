/** Commands for batches. */
import { setTimeout as sleep } from "node:timers/promises";
import type { BatchExport } from "../../src/contracts/batches/batch-export.ts";
import type { BatchExecution } from "../../src/contracts/batches/batch.ts";
import { ProgressBar } from "../progress-bar.ts";
import { required, textOf } from "./arguments.ts";
import type { Command, Given } from "./command.ts";
import { storeFile } from "./file-commands.ts";
import { readJsonFile } from "./read-json-file.ts";
import { get, PAGE_QUERY, post } from "./route-commands.ts";
import { pairsOf, printEvents, saveFile } from "./run-commands.ts";
import type { Session } from "./session.ts";

const PATH = "/api/v1/batch-executions";
const POLL_MS = 500;

export const BATCH_COMMANDS: readonly Command[] = [
  {
    words: "batches create",
    args: "FILE",
    about: "Create a batch from a file with workflow and items; --watch follows it until it ends",
    operations: ["createBatchExecution"],
    flags: { "idempotency-key": { type: "string" }, watch: { type: "boolean" } },
    run: createBatch,
  },
  {
    words: "batches run",
    about:
      "Run a workflow once for each row of a table; uploads the table first, and --watch follows the batch until it ends",
    operations: ["createBatchExecution", "uploadAsset"],
    flags: {
      workflow: { type: "string", value: "ID" },
      dataset: { type: "string", value: "FILE" },
      map: { type: "string", multiple: true, value: "INPUT=COLUMN" },
      reference: { type: "string", value: "COLUMN" },
      name: { type: "string", value: "TEXT" },
      "idempotency-key": { type: "string" },
      watch: { type: "boolean" },
    },
    run: runDataset,
  },
  {
    words: "batches estimate",
    args: "FILE",
    about: "Show what the batch of a file would cost; the file is that of batches create",
    operations: ["estimateBatchExecution"],
    run: async (session, { args }) =>
      session.call("POST", `${PATH}/estimate`, {
        json: await readJsonFile(required(args[0], "FILE")),
      }),
  },
  {
    words: "batches list",
    about: "List batches, newest first",
    columns: ["id", "workflow_name", "status", "progress", "completed", "failed", "total_items"],
    route: {
      operation: "listBatchExecutions",
      method: "GET",
      path: PATH,
      query: [
        ...PAGE_QUERY,
        "status",
        "workflow",
        "client_reference",
        "created_after",
        "created_before",
      ],
    },
  },
  get("batches get", "ID", "Show a batch and its counters", "getBatchExecution", `${PATH}/{id}`),
  {
    words: "batches watch",
    args: "ID",
    about: "Follow a batch until it ends; exit code 1 unless it completed",
    operations: ["getBatchExecution"],
    run: (session, { args }) => watch(session, required(args[0], "ID")),
  },
  {
    words: "batches items",
    args: "ID",
    about: "List the items of a batch, by index",
    columns: ["index", "client_reference", "status", "execution", "credits_used", "error_code"],
    route: {
      operation: "listBatchItems",
      method: "GET",
      path: `${PATH}/{id}/items`,
      query: [...PAGE_QUERY, "status", "client_reference"],
    },
  },
  get(
    "batches item",
    "ID ITEM",
    "Show an item of a batch, by its id or index",
    "getBatchItem",
    `${PATH}/{id}/items/{item}`,
  ),
  {
    words: "batches events",
    args: "ID",
    about: "Print the events of a batch as they happen; --after ID resumes",
    operations: ["streamBatchEvents"],
    flags: { after: { type: "string", value: "ID" } },
    run: (session, given) => printEvents(session, PATH, given),
  },
  {
    words: "batches export",
    args: "ID",
    about: "Export the results of a batch, wait for the files, and save them in a folder",
    operations: ["requestBatchExport", "getBatchExport", "downloadBatchExport"],
    flags: {
      format: { type: "string", value: "FORMAT" },
      inputs: { type: "boolean" },
      raw: { type: "boolean" },
      output: { type: "string", value: "FOLDER" },
    },
    run: exportBatch,
  },
  post(
    "batches start",
    "ID",
    "Start a batch that was created with start: false",
    "startBatchExecution",
    `${PATH}/{id}/start`,
  ),
  {
    words: "batches retry",
    args: "ID",
    about: "Continue the failed and cancelled items; --watch follows them until they end",
    operations: ["retryBatchExecution"],
    flags: {
      "include-partial": { type: "boolean" },
      version: { type: "string", value: "VERSION" },
      "idempotency-key": { type: "string" },
      watch: { type: "boolean" },
    },
    run: retryBatch,
  },
  post("batches cancel", "ID", "Cancel a batch", "cancelBatchExecution", `${PATH}/{id}/cancel`),
];

async function createBatch(session: Session, { args, flags }: Given): Promise<unknown> {
  const key = textOf(flags, "idempotency-key");
  const batch = await session.call<BatchExecution>("POST", PATH, {
    json: await readJsonFile(required(args[0], "FILE")),
    ...(key !== undefined && { headers: { "idempotency-key": key } }),
  });
  return flags["watch"] === true ? watch(session, batch.id) : batch;
}

async function runDataset(session: Session, { flags }: Given): Promise<unknown> {
  const workflow = required(textOf(flags, "workflow"), "--workflow");
  const file = required(textOf(flags, "dataset"), "--dataset");
  const key = textOf(flags, "idempotency-key");
  const name = textOf(flags, "name");
  const reference = textOf(flags, "reference");
  const mapping = Object.fromEntries(pairsOf(flags, "map"));
  const { path } = await storeFile(session, file);
  const batch = await session.call<BatchExecution>("POST", PATH, {
    json: {
      workflow,
      dataset: {
        asset_path: path,
        mapping,
        ...(reference !== undefined && { client_reference_column: reference }),
      },
      ...(name !== undefined && { name }),
    },
    ...(key !== undefined && { headers: { "idempotency-key": key } }),
  });
  return flags["watch"] === true ? watch(session, batch.id) : batch;
}

async function exportBatch(session: Session, { args, flags }: Given): Promise<unknown> {
  const path = `${PATH}/${encodeURIComponent(required(args[0], "ID"))}/exports`;
  const format = textOf(flags, "format") ?? "csv";
  const folder = textOf(flags, "output") ?? ".";
  const bar = process.stderr.isTTY ? new ProgressBar(process.stderr) : undefined;
  const options = { inputs: flags["inputs"] === true, raw: flags["raw"] === true };
  let status = await session.call<BatchExport>("POST", path, { json: { format, ...options } });
  while (status.status === "building") {
    bar?.show(status.progress_percent, `${status.row_count} rows`);
    await sleep(POLL_MS);
    status = await session.call<BatchExport>("GET", `${path}/${encodeURIComponent(format)}`);
  }
  bar?.end();
  if (status.status !== "completed") {
    throw new Error(`The export ended with status ${status.status}: ${status.error_message}`);
  }
  const files = [];
  for (const { part_index, download_file_name: name, size_bytes } of status.files) {
    const download = `${path}/${encodeURIComponent(format)}/download?part=${part_index}`;
    files.push({ file: await saveFile(session, download, folder, name), size_bytes });
  }
  return { data: files };
}

async function retryBatch(session: Session, { args, flags }: Given): Promise<unknown> {
  const id = required(args[0], "ID");
  const key = textOf(flags, "idempotency-key");
  const version = textOf(flags, "version");
  const batch = await session.call<BatchExecution>(
    "POST",
    `${PATH}/${encodeURIComponent(id)}/retry`,
    {
      json: {
        include_partial: flags["include-partial"] === true,
        ...(version !== undefined && { version: version === "latest" ? version : Number(version) }),
      },
      ...(key !== undefined && { headers: { "idempotency-key": key } }),
    },
  );
  return flags["watch"] === true ? watch(session, batch.id) : batch;
}

/** Shows a batch until it ends: a progress bar with the items in a second, otherwise a line for each change. */
async function watch(session: Session, id: string): Promise<BatchExecution> {
  const bar = process.stderr.isTTY ? new ProgressBar(process.stderr) : undefined;
  const sinceMs = Date.now();
  let shown = "";
  let first: BatchExecution | undefined;
  for (;;) {
    const batch = await session.call<BatchExecution>("GET", `${PATH}/${encodeURIComponent(id)}`);
    const { status, progress } = batch;
    first ??= batch;
    bar?.show(progress, progressText(batch, first, Date.now() - sinceMs));
    const line = `${status} ${progress} % ${countsText(batch)}`;
    if (bar === undefined && line !== shown) {
      console.error(line);
      shown = line;
    }
    if (batch.completed_at !== null) {
      bar?.end();
      process.exitCode = status === "completed" ? 0 : 1;
      return batch;
    }
    await sleep(POLL_MS);
  }
}

/** The counts of a batch, and the items that have ended in a second since it was first seen `elapsedMs` ago. */
export function progressText(batch: Counts, first: Counts, elapsedMs: number): string {
  const rate = (1_000 * (endedOf(batch) - endedOf(first))) / Math.max(1, elapsedMs);
  return `${countsText(batch)}, ${rate.toFixed(1)}/s`;
}

function countsText(batch: Counts): string {
  return `${endedOf(batch)} of ${batch.total_items} items, ${batch.failed} failed`;
}

function endedOf({ completed, failed, cancelled }: Counts): number {
  return completed + failed + cancelled;
}

type Counts = Pick<BatchExecution, "completed" | "failed" | "cancelled" | "total_items">;

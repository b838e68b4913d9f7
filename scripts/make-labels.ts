/** The batch of `samples/labels`: a label for each product of a table, a row that fails, its fix, and what the fix changed. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { BatchExecution, BatchItem } from "../src/contracts/batches/batch.ts";
import type { RunComparison } from "../src/contracts/runs/comparison.ts";
import type { Execution } from "../src/contracts/runs/run.ts";
import type { ApiClient } from "./api-client.ts";
import { publish, readSample, SAMPLES_DIR } from "./provision.ts";
import { type ResultItem, readResult } from "./run-workflow.ts";
import { uploadAsset } from "./upload-asset.ts";

const BATCHES = "/api/v1/batch-executions";
const WAIT = { prefer: "wait=60" };
/** Divides by the weight, which one row does not know. */
const [BROKEN, FIXED] = [
  "round(price / kilos, 2)",
  "round(if(kilos == 0, price, price / kilos), 2)",
] as const;

export interface Labels {
  /** The batch after its first attempt, and after its retry. */
  readonly first: BatchExecution;
  readonly last: BatchExecution;
  readonly failed: BatchItem;
  /** The new run of the failed row. */
  readonly retry: Execution;
  readonly diff: RunComparison;
}

/**
 * Runs the sample on its table, fixes the workflow, retries the batch with the new version, and saves a label for each row.
 * Throws if anything but the one row fails, or if it still fails afterwards.
 */
export async function makeLabels(
  client: ApiClient,
  { directory }: { readonly directory: string },
): Promise<Labels> {
  await mkdir(directory, { recursive: true });
  const table = await readFile(join(SAMPLES_DIR, "labels", "products.csv"));
  const asset_path = await uploadAsset(client, "products.csv", new Uint8Array(table));
  const workflow = await publish(client, await readSample("labels/workflow.json"));
  const first = await client.call<BatchExecution>("POST", BATCHES, {
    headers: WAIT,
    body: {
      workflow,
      name: "Shelf labels",
      dataset: {
        asset_path,
        mapping: { number: "Number", product: "Product", price: "Price", kilos: "Kilos" },
        client_reference_column: "Product",
      },
    },
  });
  const [failed, ...more] = await itemsOf(client, `${first.id}/items?status=failed`);
  if (failed?.execution == null || more.length > 0 || first.completed_at === null) {
    throw new Error(`The batch is ${first.status}, and ${first.failed} of its rows failed.`);
  }
  await fix(client, workflow);
  const last = await client.call<BatchExecution>("POST", `${BATCHES}/${first.id}/retry`, {
    headers: WAIT,
    body: { version: "latest" },
  });
  if (last.status !== "completed") {
    throw new Error(`After its retry the batch is ${last.status}: ${last.error_message}`);
  }
  const items = await itemsOf(client, `${first.id}/items`);
  for (const { client_reference: product, execution } of items) {
    const { result } = await readResult(client, execution ?? "");
    await save(result.by_key["label"]?.items[0], join(directory, `${product}.png`));
  }
  const retried = items[failed.index]?.execution ?? "";
  return {
    first,
    last,
    failed,
    retry: await client.call<Execution>("GET", `/api/v1/executions/${retried}`),
    diff: await client.call<RunComparison>(
      "GET",
      `/api/v1/executions/${failed.execution}/diff/${retried}`,
    ),
  };
}

/** What a comparison says has changed from one run to the other, a line each. */
export function describeDiff({
  a,
  b,
  definition,
  nodes,
  outputs,
}: RunComparison): readonly string[] {
  return [
    `status: ${a.status} → ${b.status}, version ${a.workflow_version} → ${b.workflow_version}`,
    ...definition.nodes.map(({ node_id: id, change, patch }) =>
      [`node ${id} ${change}`, ...(patch ?? []).map(describeOperation)].join(", "),
    ),
    ...nodes
      .filter(({ change }) => change === "changed")
      .map(({ node_id: id, a: one, b: other }) => `${id}: ${one?.state} → ${other?.state}`),
    ...outputs.map(({ key, a_state, b_state }) => `output ${key}: ${a_state} → ${b_state}`),
  ];
}

/** Of a JSON patch: an operation with its place and its value. */
function describeOperation({
  op,
  path,
  value,
}: {
  readonly op: string;
  readonly path: string;
  readonly value?: unknown;
}): string {
  return `${op} ${path} ${JSON.stringify(value)}`;
}

/** Publishes the sample with the fixed expression as a new version. */
async function fix(client: ApiClient, workflow: string): Promise<void> {
  const path = `/api/v1/workflows/${workflow}/definition`;
  const definition = JSON.stringify(await client.call<unknown>("GET", path));
  if (!definition.includes(BROKEN)) {
    throw new Error("The sample has another expression.");
  }
  await client.call("PUT", path, {
    headers: { "if-match": "*" },
    body: JSON.parse(definition.replace(BROKEN, FIXED)),
  });
  await client.call("POST", `/api/v1/workflows/${workflow}/publish`);
}

async function itemsOf(client: ApiClient, path: string): Promise<readonly BatchItem[]> {
  const { data } = await client.call<{ data: readonly BatchItem[] }>("GET", `${BATCHES}/${path}`);
  return data;
}

async function save(item: ResultItem | undefined, file: string): Promise<void> {
  const response = await fetch(item?.url ?? "");
  if (!response.ok) {
    throw new Error(`The picture for ${file} was answered with ${response.status}.`);
  }
  await writeFile(file, new Uint8Array(await response.arrayBuffer()));
}

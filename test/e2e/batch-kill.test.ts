/** docs/contract/batches.md#items on the service as it runs: SIGKILL while a batch runs, restart without traffic. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type RunningService, startService } from "../support/node/start-service.ts";
import { waitUntil } from "../support/wait-until.ts";
import "../support/only-in-proof.ts";

const ITEMS = 400;
/** Accepted items at which the process is killed. */
const KILLS_AT = [1, 60, 150, 260];
const DEFINITION = {
  nodes: [
    { id: "in", type: "input/text", label: "Words", parameters: { required: false } },
    { id: "out", type: "output/text", label: "Said", parameters: {} },
  ],
  connections: [{ from: { node: "in", port: "text" }, to: { node: "out", port: "text" } }],
};

interface Page<T> {
  readonly data: readonly T[];
  readonly next_cursor: string | null;
}

interface Batch {
  readonly id: string;
  readonly status: string;
  readonly pending: number;
  readonly running: number;
  readonly completed: number;
  readonly failed: number;
  readonly cancelled: number;
}

let directory: string;
let service: RunningService;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "edgeloom-batches-"));
  service = await startService({ directory });
});

afterAll(async () => {
  await service.stop();
  await rm(directory, { recursive: true, force: true });
});

async function all<T>(path: string): Promise<T[]> {
  const found: T[] = [];
  for (let cursor: string | null = ""; cursor !== null;) {
    const after: string = cursor === "" ? "" : `&starting_after=${cursor}`;
    const page: Page<T> = await service.client.call("GET", `${path}limit=100${after}`);
    found.push(...page.data);
    cursor = page.next_cursor;
  }
  return found;
}

it("a batch that is killed at any moment goes on by itself, and runs each item once", async () => {
  const { client } = service;
  const workflow = await client.call<{ id: string }>("POST", "/api/v1/workflows", {
    body: { name: "Echo", definition: DEFINITION },
  });
  await client.call("POST", `/api/v1/workflows/${workflow.id}/publish`);
  const items = Array.from({ length: ITEMS }, (_, at) => ({
    client_reference: `row ${String(at)}`,
  }));
  const { id } = await client.call<Batch>("POST", "/api/v1/batch-executions", {
    body: { workflow: workflow.id, items, max_concurrency: 10 },
  });
  const read = async () => {
    const batch = await service.client.call<Batch>("GET", `/api/v1/batch-executions/${id}`);
    const { pending, running, completed, failed, cancelled } = batch;
    expect(pending + running + completed + failed + cancelled).toBe(ITEMS);
    return batch;
  };
  let atWork = 0;
  for (const [nth, at] of KILLS_AT.entries()) {
    const { pending } = await waitUntil(`${String(at)} items to be accepted`, async () => {
      const batch = await read();
      return batch.pending <= ITEMS - at && batch;
    });
    atWork += pending > 0 ? 1 : 0;
    await service.kill(await service.workerdPid());
    service = await startService({ directory });
    if (nth < KILLS_AT.length - 1) {
      // What callers have seen is never taken back.
      expect((await read()).pending).toBeLessThanOrEqual(pending);
    }
  }
  // Otherwise the kills would have met a batch that had ended.
  expect(atWork).toBeGreaterThan(1);
  // Nothing asks the batch: it goes on by itself.
  await waitUntil("all items to have runs", async () => {
    const path = `/api/v1/executions?batch=${id}&limit=1`;
    const listed = await service.client.call<{ total_count: number }>("GET", path);
    return listed.total_count === ITEMS;
  });
  const ended = await waitUntil("the batch to end", async () => {
    const batch = await read();
    return batch.status !== "running" && batch.status !== "pending" && batch;
  });
  expect(ended).toMatchObject({ status: "completed", completed: ITEMS });
  const runs = await all<{ id: string; batch_index: number; client_reference: string }>(
    `/api/v1/executions?batch=${id}&`,
  );
  const rows = await all<{ index: number; execution: string; executions: string[] }>(
    `/api/v1/batch-executions/${id}/items?`,
  );
  const byIndex = runs.toSorted((a, b) => a.batch_index - b.batch_index);
  expect(byIndex.map((run) => run.client_reference)).toEqual(
    items.map((item) => item.client_reference),
  );
  expect(rows.map(({ executions }) => executions)).toEqual(byIndex.map((run) => [run.id]));
});

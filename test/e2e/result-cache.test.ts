/** docs/contract/cache.md on the whole service: its executors, its queue and its cache objects. */
import { beforeAll, expect, it } from "vitest";
import { publish } from "../../scripts/provision.ts";
import { CODES } from "../support/paid-definitions.ts";
import { sharedService, type SharedService } from "../support/node/shared-service.ts";
import { waitUntil } from "../support/wait-until.ts";

interface Run {
  readonly id: string;
  readonly status: string;
  readonly completed_at: string | null;
  readonly credits_used?: number;
  readonly reused_iterations: number;
  readonly outputs: readonly { readonly url?: string; readonly input_indices: readonly number[] }[];
}

const ROWS = 40;
const texts = Array.from({ length: ROWS }, (_, at) => `https://example.com/${at}`);

let one: SharedService;
let other: SharedService;
const workflows = new Map<SharedService, string>();

beforeAll(async () => {
  [one, other] = await Promise.all([sharedService(), sharedService()]);
  for (const service of [one, other]) {
    const sample = { name: "Codes", description: "", definition: CODES };
    workflows.set(service, await publish(service.client, sample));
  }
});

async function ended(service: SharedService, rows: readonly string[], cache: object): Promise<Run> {
  const { id } = await service.client.call<Run>("POST", "/api/v1/executions", {
    body: {
      workflow: workflows.get(service),
      inputs: { rows: { value: JSON.stringify(rows) } },
      cache,
    },
  });
  return waitUntil(`${id} to end`, async () => {
    const run = await service.client.call<Run>("GET", `/api/v1/executions/${id}`);
    return run.completed_at === null ? undefined : run;
  });
}

async function pictures(run: Run): Promise<string[]> {
  const inOrder = run.outputs.toSorted(
    (a, b) => (a.input_indices[0] ?? 0) - (b.input_indices[0] ?? 0),
  );
  return Promise.all(
    inOrder.map(async ({ url }) => {
      const response = await fetch(url ?? "");
      expect(response.status).toBe(200);
      return Buffer.from(await response.arrayBuffer()).toString("base64");
    }),
  );
}

it("a run costs nothing for what an earlier one of its workspace has kept, and has the same pictures at its own addresses", async () => {
  const first = await ended(one, texts, { mode: "read_write" });
  expect(first).toMatchObject({
    status: "completed",
    credits_used: ROWS * 0.02,
    reused_iterations: 0,
  });
  const rows = [...texts.slice(1), "https://example.com/new"];
  const second = await ended(one, rows, { mode: "read" });
  expect(second).toMatchObject({
    status: "completed",
    credits_used: 0.02,
    reused_iterations: ROWS - 1,
  });
  const [before, after] = [await pictures(first), await pictures(second)];
  expect(after.slice(0, -1)).toEqual(before.slice(1));
  const addresses = new Set(first.outputs.map(({ url }) => url));
  expect(second.outputs.some(({ url }) => addresses.has(url))).toBe(false);
  expect(await one.client.call("GET", "/api/v1/cache")).toMatchObject({
    entries: ROWS,
    hits: ROWS - 1,
    misses: ROWS + 1,
    credits_saved: (ROWS - 1) * 0.02,
  });
});

it("another workspace with equal content works everything out, and keeps its own when the first is cleared", async () => {
  const theirs = await ended(other, texts, { mode: "read_write" });
  expect(theirs).toMatchObject({ credits_used: ROWS * 0.02, reused_iterations: 0 });
  await one.client.call("DELETE", "/api/v1/cache");
  const [mine, again] = await Promise.all([
    ended(one, texts, { mode: "read" }),
    ended(other, texts, { mode: "read" }),
  ]);
  expect(mine.reused_iterations).toBe(0);
  expect(again).toMatchObject({ reused_iterations: ROWS });
  expect(again.credits_used ?? 0).toBe(0);
});

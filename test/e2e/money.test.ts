/** Credits and cancels over the whole service: the queue, the runner and real codes at 20 milli-credits each. */
import { beforeAll, describe, expect, test } from "vitest";
import { BRANCHED_CODES, CODES, DEFERRED_CODES } from "../support/paid-definitions.ts";
import { sharedService, type SharedService } from "../support/node/shared-service.ts";

interface Run {
  readonly id: string;
  readonly status: string;
  readonly progress: number;
  readonly credits_used?: number;
  readonly error_code: string | null;
}
interface Entry {
  readonly kind: string;
  readonly run?: string;
  readonly milli_credits: number;
  readonly balance_after: number;
}

const TERMINAL = ["completed", "partial_success", "failed", "cancelled"];

let service: SharedService;

beforeAll(async () => {
  service = await sharedService();
});

/** After which a run does without the report of a lost worker. */
const LEASE_MS = 30_000;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function publish(definition: unknown): Promise<string> {
  const { client } = service;
  const { id } = await client.call<{ id: string }>("POST", "/api/v1/workflows", {
    body: { name: "Paid", definition },
  });
  await client.call("POST", `/api/v1/workflows/${id}/publish`);
  return id;
}

const lines = (n: number) =>
  Array.from({ length: n }, (_, i) => `https://example.com/${String(i)}`);
const rowsOf = (n: number) => ({ rows: { value: JSON.stringify(lines(n)) } });
const dataOf = (n: number) => ({ data: { value: JSON.stringify({ rows: lines(n) }) } });

const submit = (body: unknown) => service.client.call<Run>("POST", "/api/v1/executions", { body });
const read = (id: string) => service.client.call<Run>("GET", `/api/v1/executions/${id}`);

/** Polls until the run ends; fails if credits or progress ever decrease. */
async function ended(id: string, untilMs = 60_000): Promise<Run> {
  const deadline = performance.now() + untilMs;
  let credits = 0;
  let progress = 0;
  for (;;) {
    const run = await read(id);
    expect(run.credits_used ?? credits).toBeGreaterThanOrEqual(credits);
    expect(run.progress).toBeGreaterThanOrEqual(progress);
    credits = run.credits_used ?? credits;
    progress = run.progress;
    if (TERMINAL.includes(run.status)) {
      return run;
    }
    if (performance.now() > deadline) {
      throw new Error(`${id} is still ${run.status}, ${String(run.progress)} %`);
    }
    await pause(20);
  }
}

/** Every entry of one run, oldest first, once the run is closed. */
async function entriesOf(id: string): Promise<Entry[]> {
  const { workspace_id, admin_token } = service.credentials;
  for (let attempt = 0; ; attempt++) {
    const response = await fetch(
      `${service.baseUrl}/admin/v1/workspaces/${workspace_id}/ledger?limit=100`,
      { headers: { authorization: `Bearer ${admin_token}` } },
    );
    const { data } = (await response.json()) as { data: Entry[] };
    const mine = data.filter(({ run }) => run === id).toReversed();
    const sum = sumsOf(mine);
    if (sum.reserve === sum.settle + sum.release || attempt > 100) {
      return mine;
    }
    await pause(50);
  }
}

function sumsOf(entries: readonly Entry[]) {
  const of = (kind: string) =>
    entries.reduce((sum, entry) => sum + (entry.kind === kind ? entry.milli_credits : 0), 0);
  return { reserve: of("reserve"), settle: of("settle"), release: of("release") };
}

describe("a run is charged", () => {
  test.each([
    ["rows of the submit", CODES, rowsOf(30), 600],
    ["no rows", CODES, rowsOf(0), 0],
    ["a branch not taken and an input left out", BRANCHED_CODES, { text: { value: '"no"' } }, 0],
  ])("the amount of an exact estimate: %s", async (_name, definition, inputs, milli) => {
    const workflow = await publish(definition);
    const estimate = await service.client.call<{
      is_exact: boolean;
      estimated_milli_credits: number;
      reserve_milli_credits: number;
    }>("POST", `/api/v1/workflows/${workflow}/estimate`, { body: { inputs } });
    const run = await ended((await submit({ workflow, inputs })).id);
    expect(run).toMatchObject({ status: "completed", credits_used: milli / 1000 });
    if (estimate.is_exact) {
      expect(estimate.estimated_milli_credits).toBe(milli);
    }
    const sums = sumsOf(await entriesOf(run.id));
    expect(sums).toEqual({
      reserve: estimate.reserve_milli_credits,
      settle: milli,
      release: estimate.reserve_milli_credits - milli,
    });
  });

  test("for a plan resolved during the run, reserved before its first item", async () => {
    const workflow = await publish(DEFERRED_CODES);
    const run = await ended((await submit({ workflow, inputs: dataOf(25) })).id);
    expect(run).toMatchObject({ status: "completed", credits_used: 0.5 });
    const entries = await entriesOf(run.id);
    expect(entries[0]).toMatchObject({ kind: "reserve", node_id: "codes", milli_credits: 500 });
    expect(sumsOf(entries)).toEqual({ reserve: 500, settle: 500, release: 0 });
  });

  test("incrementally while it runs, as the ledger shows", async () => {
    const workflow = await publish(CODES);
    const run = await ended((await submit({ workflow, inputs: rowsOf(700) })).id);
    expect(run.credits_used).toBe(14);
    const settles = (await entriesOf(run.id)).filter(({ kind }) => kind === "settle");
    expect(settles.reduce((sum, entry) => sum + entry.milli_credits, 0)).toBe(14_000);
    expect(settles.length).toBeGreaterThan(1);
  });
});

describe("a cancel", () => {
  test("of a run in progress is acknowledged before it ends and settled before a lease could end, with an exact refund", async () => {
    const workflow = await publish(CODES);
    const { id } = await submit({ workflow, inputs: rowsOf(2_000) });
    for (let run = await read(id); (run.credits_used ?? 0) < 0.2; run = await read(id)) {
      expect(TERMINAL).not.toContain(run.status);
      await pause(10);
    }
    const begunAt = performance.now();
    const response = await service.client.call<Run>("POST", `/api/v1/executions/${id}/cancel`);
    expect(response.status).toBe("cancelling");
    const run = await ended(id);
    expect(run.status).toBe("cancelled");
    // docs/benchmarks.md#w8-cancel measures how much sooner.
    expect(performance.now() - begunAt).toBeLessThan(LEASE_MS);
    const milli = Math.round((run.credits_used ?? 0) * 1000);
    expect(milli % 20).toBe(0);
    expect(milli).toBeGreaterThanOrEqual(200);
    expect(milli).toBeLessThan(40_000);
    expect(sumsOf(await entriesOf(id))).toEqual({
      reserve: 40_000,
      settle: milli,
      release: 40_000 - milli,
    });
    const again = await service.client.send("POST", `/api/v1/executions/${id}/cancel`);
    expect(again.status).toBe(422);
    await pause(1_500);
    expect((await read(id)).credits_used).toBe(run.credits_used);
  });
});

/**
 * SIGKILL while a batch runs (docs/contract/batches.md#items), while other batches are cancelled and retried
 * (docs/contract/batches.md#retry), and while runs are retried (docs/retries-and-reuse.md), restart without traffic: no run
 * twice, none lost, no credit twice. Each kill meets all of them.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ApiError } from "../../scripts/api-client.ts";
import { publish } from "../../scripts/provision.ts";
import { waitForRun } from "../../scripts/run-workflow.ts";
import { checkLedger } from "../chaos/check-ledger.ts";
import { SeededRandom } from "../simulation/seeded-random.ts";
import { KillableService } from "../support/node/killable-service.ts";
import { CODES } from "../support/paid-definitions.ts";
import { sizeOf } from "../support/sizes.ts";
import { waitUntil } from "../support/wait-until.ts";

const KILLS = sizeOf("batchKills");
/** Items that are accepted between two kills at most, and at once at most. */
const ITEMS_A_KILL = 8;
const LIVE_MAX = 6;
const ITEMS = (KILLS + 1) * ITEMS_A_KILL;
/** Longest time from the submit of the retries to the kill. */
const LATER_MS = 160;
const RETRIES_A_KILL = 2;
const ROWS = 8;
/** Rows that each retry changes. */
const CHANGED = 3;
/** Every fifth kill also meets the creation of a batch of three items. */
const KILLS_A_CREATION = 5;
const SMALL = 3;
/** Items of a batch that is cancelled at one kill and retried at the next, one at a time, and the rows of each. */
const UNDONE = 5;
const UNDONE_ROWS = 3;
/** Milli-credits of a row: one code. */
const COST = 20;

interface Page<T> {
  readonly data: readonly T[];
  readonly next_cursor: string | null;
  readonly total_count: number;
}

interface Batch {
  readonly id: string;
  readonly status: string;
  readonly total_items: number;
  readonly pending: number;
  readonly running: number;
  readonly completed: number;
  readonly failed: number;
  readonly cancelled: number;
  readonly credits_used: number;
  readonly attempt: number;
  readonly completed_at: string | null;
}

interface Run {
  readonly id: string;
  readonly completed_at: string | null;
  readonly batch_index: number;
  readonly client_reference: string;
  readonly credits_used: number;
}

let directory: string;
let service: KillableService;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "edgeloom-batch-kills-"));
  service = new KillableService(directory, {});
  await service.start();
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

async function countOf(filters: string): Promise<number> {
  const page: Page<Run> = await service.client.call("GET", `/api/v1/executions?${filters}&limit=1`);
  return page.total_count;
}

async function read(id: string): Promise<Batch> {
  const batch = await service.client.call<Batch>("GET", `/api/v1/batch-executions/${id}`);
  const { pending, running, completed, failed, cancelled, total_items } = batch;
  expect(pending + running + completed + failed + cancelled).toBe(total_items);
  return batch;
}

const rowsInput = (rows: readonly string[]) => ({ rows: { value: JSON.stringify(rows) } });

/** The rows of the source, of which the last are others for each retry. */
const rowsOf = (retry: number) =>
  Array.from({ length: ROWS }, (_, row) =>
    row < ROWS - CHANGED ? `source ${row}` : `source ${row} of retry ${retry}`,
  );

interface Identified {
  readonly id: string | undefined;
}

/** None is missing, and none is there twice. */
function expectSameIds(found: readonly Identified[], expected: readonly Identified[]): void {
  expect(found).toHaveLength(expected.length);
  expect(new Set(found.map(({ id }) => id))).toEqual(new Set(expected.map(({ id }) => id)));
}

/** A POST that makes something, and the id of what it made: none until a response came. */
class Made {
  readonly #path: string;
  readonly #key: string;
  readonly #body: unknown;
  id: string | undefined;

  constructor(path: string, key: string, body: unknown) {
    this.#path = path;
    this.#key = key;
    this.#body = body;
  }

  /** Sends it, again after a kill. A response that came before names the same thing. */
  async send(): Promise<string> {
    const { id } = await service.client.call<{ id: string }>("POST", this.#path, {
      headers: { "idempotency-key": this.#key },
      body: this.#body,
    });
    expect(this.id ?? id).toBe(id);
    this.id = id;
    return id;
  }
}

/** A cancel of a batch, whose repeat meets the batch as it was left; undefined if the batch had completed before. */
async function trySend(cancel: Made): Promise<string | undefined> {
  try {
    return await cancel.send();
  } catch (error) {
    if (error instanceof ApiError && error.status === 422) {
      expect(error.problem).toMatchObject({ code: "invalid_state" });
      return undefined;
    }
    throw error;
  }
}

/** A batch whose items run one after another. `kill` is in the names of its rows. */
async function newUndone(workflow: string, kill: number): Promise<string> {
  const items = Array.from({ length: UNDONE }, (_, at) => ({
    inputs: rowsInput(Array.from({ length: UNDONE_ROWS }, (_row, row) => `${kill} ${at} ${row}`)),
  }));
  const { id } = await service.client.call<Batch>("POST", "/api/v1/batch-executions", {
    body: { workflow, items, start: false, max_concurrency: 1 },
  });
  return id;
}

const ofBatch = (id: string, verb: "start" | "cancel" | "retry") =>
  new Made(`/api/v1/batch-executions/${id}/${verb}`, `kills-${verb}-${id}`, undefined);

it(
  `batches and retries that are killed ${KILLS} times go on by themselves, run once and are charged once`,
  async () => {
    const random = new SeededRandom(20_261_128);
    const workflow = await publish(service.client, { name: "Codes", definition: CODES });
    const source = new Made("/api/v1/executions", "the-source", {
      workflow,
      inputs: rowsInput(rowsOf(-1)),
    });
    await waitForRun(service.client, await source.send());
    const items = Array.from({ length: ITEMS }, (_, at) => ({
      inputs: rowsInput([`row ${at}`]),
      client_reference: `row ${at}`,
    }));
    const { id } = await service.client.call<Batch>("POST", "/api/v1/batch-executions", {
      body: { workflow, items, max_concurrency: LIVE_MAX },
    });
    const retries: Made[] = [];
    const created: Made[] = [];
    const undone = [await newUndone(workflow, -1)];
    let cancelled: string | undefined = await ofBatch(undone[0] ?? "", "cancel").send();
    let [inBatch, inRetries, inCancels, inAttempts, left] = [0, 0, 0, 0, ITEMS];
    for (let kill = 0; kill < KILLS; kill++) {
      const next = await newUndone(workflow, kill);
      undone.push(next);
      const few = random.int(1, ITEMS_A_KILL);
      const { pending } = await waitUntil(`${few} more items to be accepted`, async () => {
        const batch = await read(id);
        return batch.pending <= Math.max(0, left - few) && batch;
      });
      const making = Array.from({ length: RETRIES_A_KILL }, (_, at) => {
        const nth = kill * RETRIES_A_KILL + at;
        const path = `/api/v1/executions/${source.id}/retry`;
        return new Made(path, `kills-retry-${nth}`, { inputs: rowsInput(rowsOf(nth)) });
      });
      retries.push(...making);
      if (kill % KILLS_A_CREATION === 0) {
        const batch = new Made("/api/v1/batch-executions", `kills-batch-${kill}`, {
          workflow,
          items: Array.from({ length: SMALL }, (_, at) => ({
            inputs: rowsInput([`small ${kill} ${at}`]),
          })),
        });
        making.push(batch);
        created.push(batch);
      }
      const again = cancelled === undefined ? [] : [ofBatch(cancelled, "retry")];
      making.push(...again);
      const cancel = ofBatch(next, "cancel");
      await ofBatch(next, "start").send();
      const laterMs = random.int(0, LATER_MS);
      const cancelling = sleep(random.int(0, laterMs)).then(() => trySend(cancel));
      const sent = Promise.allSettled([cancelling, ...making.map((one) => one.send())]);
      await sleep(laterMs);
      const seen = await read(id);
      inBatch += seen.running > 0 ? 1 : 0;
      await service.kill();
      await sent;
      await service.start();
      const known = retries.slice(-RETRIES_A_KILL).filter((retry) => retry.id !== undefined);
      const found = await Promise.all(
        known.map((retry) => service.client.call<Run>("GET", `/api/v1/executions/${retry.id}`)),
      );
      // Unanswered ones too: whether the kill met them before or after they were stored, only the repeat tells.
      const isLive = found.some(({ completed_at }) => completed_at === null);
      inRetries += isLive || known.length < RETRIES_A_KILL ? 1 : 0;
      // What callers have seen is never taken back.
      const now = await read(id);
      expect(now.pending).toBeLessThanOrEqual(pending);
      expect(now.credits_used).toBeGreaterThanOrEqual(seen.credits_used);
      left = now.pending;
      inCancels += cancel.id === undefined || (await isLiveBatch(next)) ? 1 : 0;
      for (const { id: batch } of again) {
        inAttempts += batch === undefined || (await isLiveBatch(batch)) ? 1 : 0;
      }
      await Promise.all(making.map((one) => one.send()));
      cancelled = await trySend(cancel);
      const ended = await endOf(next);
      expect(ended.status).toBe(cancelled === undefined ? "completed" : "cancelled");
    }
    // Otherwise the kills would have met what had ended.
    expect(inBatch).toBeGreaterThan(KILLS / 2);
    expect(inRetries).toBeGreaterThan(KILLS / 2);
    expect(inAttempts).toBeGreaterThan(KILLS / 2);
    // A cancel may be over before the kill, so a single kill shows nothing.
    expect(inCancels).toBeGreaterThanOrEqual(Math.floor(KILLS / 4));
    if (cancelled !== undefined) {
      await ofBatch(cancelled, "retry").send();
    }
    // Nothing asks the batch: it goes on by itself.
    await waitUntil("all items to have ended runs", async () => {
      return (await countOf(`batch=${id}&status=completed`)) === ITEMS;
    });
    await batchIsWhole(id, ITEMS);
    for (const { id: small = "" } of created) {
      await batchIsWhole(small, SMALL);
    }
    let undoneRuns = 0;
    for (const batch of undone) {
      undoneRuns += await undoneIsWhole(batch);
    }
    const batches = await all<Batch>("/api/v1/batch-executions?");
    expectSameIds(batches, [{ id }, ...created, ...undone.map((batch) => ({ id: batch }))]);
    for (const { id: retry = "" } of retries) {
      expect(await waitForRun(service.client, retry)).toMatchObject({
        status: "completed",
        credits_used: (CHANGED * COST) / 1000,
        // Of the codes and of their outputs.
        reused_iterations: (ROWS - CHANGED) * 2,
        outputs_total: ROWS,
      });
    }
    const listed = await all<Run>(`/api/v1/executions?retry_of=${source.id}&`);
    expectSameIds(listed, retries);
    const runs = ITEMS + created.length * SMALL + retries.length + 1 + undoneRuns;
    // The last settlements.
    await waitUntil("all runs to end", async () => {
      const ended = ["completed", "cancelled", "partial_success"];
      const counts = await Promise.all(ended.map((status) => countOf(`status=${status}`)));
      return counts.reduce((sum, count) => sum + count, 0) === runs;
    });
    expect(await countOf("")).toBe(runs);
    const inUndone = undone.length * UNDONE * UNDONE_ROWS;
    const paid = ITEMS + created.length * SMALL + retries.length * CHANGED + ROWS + inUndone;
    await checkLedger(service, runs, paid * COST);
    process.stderr.write(
      `batch kills: ${KILLS}, ${inBatch} with live items, ${inRetries} with retries of runs under way, ${inAttempts} in retries of batches, ${inCancels} in cancels\n`,
    );
  },
  KILLS * 20_000 + 240_000,
);

async function isLiveBatch(id: string): Promise<boolean> {
  return (await read(id)).completed_at === null;
}

async function endOf(id: string): Promise<Batch> {
  return await waitUntil(`${id} to end`, async () => {
    const batch = await read(id);
    return batch.completed_at !== null && batch;
  });
}

/**
 * Each item of a batch that was cancelled and retried has completed, with at most one run for each attempt, and each of its rows
 * was charged once, whichever run made it. Returns the number of the runs.
 */
async function undoneIsWhole(id: string): Promise<number> {
  const { attempt, ...ended } = await endOf(id);
  expect(ended).toMatchObject({
    status: "completed",
    completed: UNDONE,
    credits_used: (UNDONE * UNDONE_ROWS * COST) / 1000,
  });
  const items = await all<{ executions: string[]; attempt: number; credits_used: number }>(
    `/api/v1/batch-executions/${id}/items?`,
  );
  expect(items.map(({ credits_used: used }) => used)).toEqual(
    items.map(() => (UNDONE_ROWS * COST) / 1000),
  );
  const runs = await all<Run>(`/api/v1/executions?batch=${id}&`);
  for (const [index, { executions, attempt: last }] of items.entries()) {
    expect(executions.length).toBeGreaterThan(0);
    expect(executions.length).toBeLessThanOrEqual(attempt);
    expect(last).toBeLessThanOrEqual(attempt);
    const own = runs.filter(({ batch_index: at }) => at === index);
    expectSameIds(
      own,
      executions.map((run) => ({ id: run })),
    );
  }
  expect(runs).toHaveLength(items.reduce((sum, { executions }) => sum + executions.length, 0));
  return runs.length;
}

/** Each item of a completed batch has one run, of its own, which is charged once. */
async function batchIsWhole(id: string, items: number): Promise<void> {
  const ended = await endOf(id);
  expect(ended).toMatchObject({
    status: "completed",
    completed: items,
    credits_used: (items * COST) / 1000,
  });
  const runs = (await all<Run>(`/api/v1/executions?batch=${id}&`)).toSorted(
    (a, b) => a.batch_index - b.batch_index,
  );
  expect(runs.map(({ batch_index: index }) => index)).toEqual([...runs.keys()]);
  expect(runs.map(({ credits_used: used }) => used)).toEqual(runs.map(() => COST / 1000));
  const rows = await all<{ executions: string[]; client_reference: string | null }>(
    `/api/v1/batch-executions/${id}/items?`,
  );
  expect(rows.map(({ executions }) => executions)).toEqual(runs.map((run) => [run.id]));
  expect(rows.map((row) => row.client_reference)).toEqual(runs.map((run) => run.client_reference));
}

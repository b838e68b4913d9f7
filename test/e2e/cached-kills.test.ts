/**
 * SIGKILL while runs take results from the cache and from their own equal elements, and keep theirs (docs/contract/cache.md),
 * restart without traffic: no run twice, none lost, no credit twice, and each picture is the one that a run without a cache makes.
 */
import { createHash } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { publish } from "../../scripts/provision.ts";
import { waitForRun } from "../../scripts/run-workflow.ts";
import type { Execution } from "../../src/contracts/runs/run.ts";
import { checkLedger } from "../chaos/check-ledger.ts";
import { SeededRandom } from "../simulation/seeded-random.ts";
import { KillableService } from "../support/node/killable-service.ts";
import { CODES } from "../support/paid-definitions.ts";
import { sizeOf } from "../support/sizes.ts";
import { waitUntil } from "../support/wait-until.ts";

const KILLS = sizeOf("cacheKills");
/** Longest time from the submit of the runs to the kill. */
const LATER_MS = 120;
/** Runs under way at each kill: of the same rows, so that both work on them, and both would keep them. */
const RUNS_A_KILL = 2;
/** Rows that the cache has before the first kill, and those that come with each. */
const WARM = 6;
const FRESH = 4;
/** Rows of one run: as many outputs as an execution shows. */
const ROWS_MAX = 100;
/** Milli-credits of a row: one code. */
const COST = 20;

interface Page<T> {
  readonly data: readonly T[];
  readonly next_cursor: string | null;
  readonly total_count: number;
}

interface Iteration {
  readonly credits: number;
  readonly attempt_count: number;
  readonly reused: { readonly by: string; readonly execution: string } | null;
}

/** A submit, and the id of its run: none until a response came. */
interface Submit {
  readonly key: string;
  readonly rows: readonly string[];
  id: string | undefined;
}

let directory: string;
let service: KillableService;
let workflow: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "edgeloom-cached-kills-"));
  service = new KillableService(directory, {});
  await service.start();
  workflow = await publish(service.client, { name: "Codes", definition: CODES });
});

afterAll(async () => {
  await service.stop();
  await rm(directory, { recursive: true, force: true });
});

const warmRows = Array.from({ length: WARM }, (_, row) => `warm ${row}`);
const freshRows = (kill: number) =>
  Array.from({ length: FRESH }, (_, row) => `fresh ${kill} ${row}`);

/** Sends a submit, again after a kill. A response that came before names the same run. */
async function send(submit: Submit, mode = "read_write"): Promise<string> {
  const { id } = await service.client.call<{ id: string }>("POST", "/api/v1/executions", {
    headers: { "idempotency-key": submit.key },
    body: { workflow, inputs: { rows: { value: JSON.stringify(submit.rows) } }, cache: { mode } },
  });
  expect(submit.id ?? id).toBe(id);
  submit.id = id;
  return id;
}

const read = (id: string) => service.client.call<Execution>("GET", `/api/v1/executions/${id}`);

async function listed(): Promise<string[]> {
  const found: string[] = [];
  for (let cursor: string | null = ""; cursor !== null;) {
    const after: string = cursor === "" ? "" : `&starting_after=${cursor}`;
    const page: Page<{ id: string }> = await service.client.call(
      "GET",
      `/api/v1/executions?limit=100${after}`,
    );
    found.push(...page.data.map(({ id }) => id));
    cursor = page.next_cursor;
  }
  return found;
}

async function iterations(id: string): Promise<readonly Iteration[]> {
  const path = `/api/v1/executions/${id}/trace/nodes/codes/iterations?page_size=${ROWS_MAX}`;
  return (await service.client.call<Page<Iteration>>("GET", path)).data;
}

/** Digests of a run's pictures, in the order of its rows. */
async function pictures({ outputs }: Execution): Promise<string[]> {
  const inOrder = outputs.toSorted((a, b) => (a.input_indices[0] ?? 0) - (b.input_indices[0] ?? 0));
  return await Promise.all(
    inOrder.map(async ({ url }) => {
      const response = await fetch(url ?? "");
      expect(response.status).toBe(200);
      return createHash("sha256")
        .update(Buffer.from(await response.arrayBuffer()))
        .digest("hex");
    }),
  );
}

/**
 * The run has ended, each of its contents was either charged once or taken for nothing, also where several rows have it;
 * returns how many rows were taken from other runs.
 */
async function expectWhole(
  { id = "", rows }: Submit,
  expected: ReadonlyMap<string, string>,
  ids: ReadonlySet<string>,
): Promise<{ readonly others: number; readonly own: number }> {
  const run = await waitForRun(service.client, id);
  const elements = await iterations(id);
  expect(elements).toHaveLength(rows.length);
  const taken = elements.filter(({ reused }) => reused !== null);
  const worked = new Map<string, number>();
  let own = 0;
  for (const [at, { reused, credits, attempt_count: attempts }] of elements.entries()) {
    if (reused === null) {
      expect(credits).toBe(COST / 1000);
      worked.set(rows[at] ?? "", (worked.get(rows[at] ?? "") ?? 0) + 1);
    } else {
      expect({ credits, attempts, by: reused.by }).toEqual({
        credits: 0,
        attempts: 0,
        by: "cache",
      });
      expect(ids.has(reused.execution)).toBe(true);
      own += reused.execution === id ? 1 : 0;
    }
  }
  expect([...worked.values()].filter((times) => times > 1)).toEqual([]);
  const repeats = rows.length - new Set(rows).size;
  expect(own).toBeLessThanOrEqual(repeats);
  expect(run).toMatchObject({
    status: "completed",
    outputs_total: rows.length,
    reused_iterations: taken.length,
    credits_used: ((rows.length - taken.length) * COST) / 1000,
  });
  expect(await pictures(run)).toEqual(rows.map((row) => expected.get(row)));
  return { others: taken.length - own, own };
}

it(
  `cached runs that are killed ${KILLS} times go on by themselves, run once, are charged once, and have the pictures of a run without a cache`,
  async () => {
    const random = new SeededRandom(20_261_129);
    const submits: Submit[] = [];
    const made = (key: string, rows: readonly string[]): Submit => {
      const submit = { key, rows, id: undefined };
      submits.push(submit);
      return submit;
    };
    await waitForRun(service.client, await send(made("the-warm-run", warmRows)));
    await waitUntil("the first results to be kept", async () => {
      const { entries } = await service.client.call<{ entries: number }>("GET", "/api/v1/cache");
      return entries === WARM;
    });
    let struck = 0;
    for (let kill = 0; kill < KILLS; kill++) {
      // Of the rows before, some were kept and some not, as the kill had it.
      const before = kill === 0 ? [] : freshRows(kill - 1);
      // The run itself repeats those that no run has worked out.
      const rows = [...warmRows, ...freshRows(kill), ...before, ...freshRows(kill)];
      const now = Array.from({ length: RUNS_A_KILL }, (_, at) =>
        made(`run-of-kill-${kill}-${at}`, rows),
      );
      const sent = Promise.allSettled(now.map((submit) => send(submit)));
      await sleep(random.int(0, LATER_MS));
      await service.kill();
      await sent;
      await service.start();
      const known = now.flatMap(({ id }) => (id === undefined ? [] : [id]));
      const found = await Promise.all(known.map(read));
      // Of an unanswered submit only the repeat tells whether it was stored.
      const isLive = found.some(({ completed_at: at }) => at === null);
      struck += isLive || known.length < RUNS_A_KILL ? 1 : 0;
      await Promise.all(now.map((submit) => send(submit)));
    }
    // Otherwise the kills would have met what had ended.
    expect(struck).toBeGreaterThan(KILLS / 2);

    const rows = [...warmRows, ...Array.from({ length: KILLS }, (_, at) => freshRows(at)).flat()];
    const parts = Array.from({ length: Math.ceil(rows.length / ROWS_MAX) }, (_, part) =>
      rows.slice(part * ROWS_MAX, (part + 1) * ROWS_MAX),
    );
    const plain = parts.map((part, at): Submit => ({
      key: `the-plain-run-${at}`,
      rows: part,
      id: undefined,
    }));
    const expected = new Map<string, string>();
    for (const submit of plain) {
      const drawn = await pictures(await waitForRun(service.client, await send(submit, "off")));
      submit.rows.forEach((row, at) => expected.set(row, drawn[at] ?? ""));
    }
    // Equal pictures would hide that a row has the result of another.
    expect(new Set(expected.values()).size).toBe(rows.length);

    const last = parts.map((part, at) => made(`the-last-run-${at}`, part));
    for (const submit of last) {
      await waitForRun(service.client, await send(submit));
    }
    const ids = new Set(submits.map(({ id }) => id ?? ""));
    let [taken, takenLast, equal] = [0, 0, 0];
    for (const submit of submits) {
      const { others, own } = await expectWhole(submit, expected, ids);
      taken += others + own;
      takenLast += last.includes(submit) ? others : 0;
      equal += own;
    }
    expect(equal).toBeGreaterThan(0);
    // A kill may lose the write of a result that it met, but none that was kept, and the other runs keep theirs.
    expect(takenLast).toBeGreaterThanOrEqual(WARM + (KILLS * FRESH) / 2);
    const runs = submits.length + plain.length;
    const found = await listed();
    expect(found).toHaveLength(runs);
    expect(new Set(found)).toEqual(new Set([...ids, ...plain.map(({ id }) => id)]));
    const elements = submits.reduce((sum, submit) => sum + submit.rows.length, 0);
    await waitUntil("all runs to be settled", async () => {
      const { total_count: ended } = await service.client.call<Page<unknown>>(
        "GET",
        "/api/v1/executions?status=completed&limit=1",
      );
      return ended === runs;
    });
    await checkLedger(service, runs, (elements + rows.length - taken) * COST);
    process.stderr.write(
      `kills of cached runs: ${KILLS}, ${struck} with runs under way; ${taken} of ${elements} rows were taken from the cache, ${equal} of them from their own run, and ${takenLast} of ${rows.length} after the last\n`,
    );
  },
  KILLS * 20_000 + 240_000,
);

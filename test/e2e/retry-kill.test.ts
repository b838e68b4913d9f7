/** docs/retries-and-reuse.md on the service as it runs: SIGKILL while runs are retried, restart with no traffic. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { publish } from "../../scripts/provision.ts";
import { checkLedger } from "../chaos/check-ledger.ts";
import { SeededRandom } from "../simulation/seeded-random.ts";
import { type RunningService, startService } from "../support/node/start-service.ts";
import { CODES } from "../support/paid-definitions.ts";
import { waitUntil } from "../support/wait-until.ts";
import "../support/only-in-proof.ts";

/** Twenty-five retries are under way at each of two kills: 50 retries, each cut off wherever it was. */
const RETRIES = 25;
const KILLS = 2;
const ROWS = 12;
/** Rows that each retry changes. */
const CHANGED = 4;

interface Run {
  readonly id: string;
  readonly status: string;
  readonly completed_at: string | null;
  readonly credits_used: number;
  readonly reused_iterations: number;
  readonly outputs_total: number;
}

let directory: string;
let service: RunningService;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "edgeloom-retries-"));
  service = await startService({ directory });
});

afterAll(async () => {
  await service.stop();
  await rm(directory, { recursive: true, force: true });
});

const read = (id: string) => service.client.call<Run>("GET", `/api/v1/executions/${id}`);

const ended = (id: string) =>
  waitUntil(`${id} to end`, async () => {
    const run = await read(id);
    return run.completed_at === null ? undefined : run;
  });

/** The rows of the source, of which the last are others for each retry. */
function rowsOf(retry: number): string[] {
  return Array.from({ length: ROWS }, (_, row) =>
    row < ROWS - CHANGED ? `row ${row}` : `row ${row} of retry ${retry}`,
  );
}

it("a SIGKILL in retries makes no run twice, loses none, and takes over and charges as without it", async () => {
  const random = new SeededRandom(20_261_124);
  const workflow = await publish(service.client, {
    name: "Codes",
    definition: CODES,
  });
  const { id: source } = await service.client.call<Run>("POST", "/api/v1/executions", {
    body: { workflow, inputs: { rows: { value: JSON.stringify(rowsOf(-1)) } } },
  });
  expect(await ended(source)).toMatchObject({ status: "completed", credits_used: ROWS * 0.02 });
  let cutShort = 0;
  for (let kill = 0; kill < KILLS; kill++) {
    const retry = (index: number) =>
      service.client.call<Run>("POST", `/api/v1/executions/${source}/retry`, {
        headers: { "idempotency-key": `retry-${kill}-${index}` },
        body: { inputs: { rows: { value: JSON.stringify(rowsOf(kill * RETRIES + index)) } } },
      });
    const workerd = await service.workerdPid();
    const asked = Array.from({ length: RETRIES }, (_, index) => retry(index));
    const answers = Promise.allSettled(asked);
    // The first of them is under way, and the others are anywhere.
    await Promise.race(asked);
    await sleep(random.int(1, 120));
    await service.kill(workerd);
    const before = (await answers).map((answer) =>
      answer.status === "fulfilled" ? answer.value.id : undefined,
    );
    service = await startService({ directory });
    const known = before.filter((id) => id !== undefined);
    const atStart = await Promise.all(known.map((id) => read(id)));
    cutShort += atStart.filter(({ completed_at }) => completed_at === null).length;
    for (let index = 0; index < RETRIES; index++) {
      const { id } = await retry(index);
      // A retry that was answered before is the same run.
      expect(before[index] ?? id).toBe(id);
      expect(await ended(id)).toMatchObject({
        status: "completed",
        credits_used: CHANGED * 0.02,
        // Of the codes and of their outputs; each belongs to the retry as it would to a run from nothing.
        reused_iterations: (ROWS - CHANGED) * 2,
        outputs_total: ROWS,
      });
    }
    const listed = await service.client.call<{ total_count: number }>(
      "GET",
      `/api/v1/executions?retry_of=${source}&limit=1`,
    );
    expect(listed.total_count).toBe((kill + 1) * RETRIES);
  }
  expect(cutShort).toBeGreaterThan(0);
  await waitUntil("the last settlement", async () => {
    const { total_count } = await service.client.call<{ total_count: number }>(
      "GET",
      "/api/v1/executions?limit=1&status=completed",
    );
    return total_count === KILLS * RETRIES + 1;
  });
  await checkLedger(service, KILLS * RETRIES + 1);
});

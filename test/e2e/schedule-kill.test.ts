/** docs/contract/schedules.md#firings on the service as it runs: SIGKILL while schedules fire, restart. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { SeededRandom } from "../simulation/seeded-random.ts";
import { KillableService } from "../support/node/killable-service.ts";
import { waitUntil } from "../support/wait-until.ts";
import "../support/only-in-proof.ts";

const KILLS = 50;
/** They fire together at each second, so that the kill meets each of them at another step of its firing. */
const SCHEDULES = 5;
/** Milliseconds after the second at which the service is killed. */
const KILLED_WITHIN_MS = 40;
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

interface Run {
  readonly id: string;
  readonly scheduled_for: string;
  readonly created_at: string;
}

interface Schedule {
  readonly id: string;
  readonly created_at: string;
  readonly last_at: string;
  readonly runs_started: number;
}

let directory: string;
let service: KillableService;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "edgeloom-schedules-"));
  service = new KillableService(directory, {});
  await service.start();
});

afterAll(async () => {
  await service.stop();
  await rm(directory, { recursive: true, force: true });
});

async function runsOf(schedule: string): Promise<Run[]> {
  const runs: Run[] = [];
  for (let cursor: string | null = ""; cursor !== null;) {
    const after = cursor === "" ? "" : `&starting_after=${cursor}`;
    const page: Page<Run> = await service.client.call(
      "GET",
      `/api/v1/executions?schedule=${schedule}&limit=100${after}`,
    );
    runs.push(...page.data);
    cursor = page.next_cursor;
  }
  return runs.toReversed();
}

it(`a SIGKILL at a firing makes no run twice and loses none, ${KILLS} times`, async () => {
  const random = new SeededRandom(20_261_130);
  const workflow = await service.client.call<{ id: string }>("POST", "/api/v1/workflows", {
    body: { name: "Echo", definition: DEFINITION },
  });
  await service.client.call("POST", `/api/v1/workflows/${workflow.id}/publish`);
  const starts_at = new Date(Math.floor(Date.now() / 1000) * 1000).toISOString();
  const made: Schedule[] = [];
  for (let i = 0; i < SCHEDULES; i++) {
    made.push(
      await service.client.call<Schedule>("POST", "/api/v1/schedules", {
        body: {
          name: `Schedule ${String(i)}`,
          workflow: workflow.id,
          interval_seconds: 1,
          starts_at,
          overlap: "allow",
          catch_up: "all",
          catch_up_window_seconds: 604_800,
        },
      }),
    );
  }
  const killedAtMs: number[] = [];
  for (let kill = 0; kill < KILLS; kill++) {
    await sleep(1200 - ((Date.now() + 200) % 1000) + random.int(0, KILLED_WITHIN_MS));
    killedAtMs.push(Date.now());
    await service.kill();
    await service.start();
  }
  let cutOff = 0;
  for (const { id, created_at } of made) {
    const read = (path = "") =>
      service.client.call<Schedule>("GET", `/api/v1/schedules/${id}${path}`);
    const { runs_started: restarted } = await read();
    await waitUntil("the clock to go on", async () => (await read()).runs_started > restarted);
    await service.client.call<Schedule>("POST", `/api/v1/schedules/${id}/pause`);
    // A firing may have been under way when the schedule was paused.
    const { paused, times, madeAt } = await waitUntil("every firing to be counted", async () => {
      const now = await read();
      const runs = await runsOf(id);
      return (
        runs.length === now.runs_started && {
          paused: now,
          times: runs.map(({ scheduled_for }) => Date.parse(scheduled_for)),
          madeAt: new Map(runs.map((run) => [Date.parse(run.scheduled_for), run.created_at])),
        }
      );
    });
    const firstMs = Math.floor(Date.parse(created_at) / 1000 + 1) * 1000;
    const lastMs = Date.parse(paused.last_at);
    const expected = Array.from(
      { length: (lastMs - firstMs) / 1000 + 1 },
      (_, i) => firstMs + i * 1000,
    );
    expect(times.toSorted((a, b) => a - b)).toEqual(expected);
    expect(paused.runs_started).toBe(expected.length);
    cutOff += killedAtMs.filter((atMs) => {
      const at = madeAt.get(Math.floor(atMs / 1000) * 1000);
      return at !== undefined && Date.parse(at) > atMs;
    }).length;
  }
  const firings = KILLS * SCHEDULES;
  // Otherwise the kills would have met what was over, or had not begun.
  expect(cutOff).toBeGreaterThan(firings / 20);
  expect(cutOff).toBeLessThan((firings * 19) / 20);
});

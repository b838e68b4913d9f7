/**
 * docs/contract/models.md#concurrency: 10,000 tasks that wait at the places of a provider hold less than 16 MB in all
 * Workers together, garbage collected. They are rows of their run and entries of the gate's queue, and nothing else.
 */
import "../support/only-in-proof.ts";
import type { ServerResponse } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { submitRun, waitForRun } from "../../scripts/run-workflow.ts";
import type { TraceIterationPage } from "../../src/contracts/runs/trace.ts";
import { expectFound } from "../support/node/live-bytes/expect-found.ts";
import { WatchedService } from "../support/node/live-bytes/watched-service.ts";
import { ScriptedServer } from "../support/providers/scripted-server.ts";

const MB = 1024 * 1024;
const TASKS = 10_000;
const PLACES = 2;
const BYTES_MAX = 16 * MB;

/** Tasks of a run before it, so that what the first run loads is not counted. */
const FIRST_TASKS = 10;

const held: ServerResponse[] = [];
const server = new ScriptedServer((_request, response) => {
  held.push(response);
});
let watched: WatchedService;

beforeAll(async () => {
  await server.start();
  watched = await WatchedService.start({
    env: {
      PROVIDERS_ALLOW_LOOPBACK: server.host,
      AI_PROVIDERS: JSON.stringify([
        {
          id: "mine",
          kind: "openai_compatible",
          base_url: `http://${server.host}/v1`,
          max_concurrency: PLACES,
          models: [
            {
              model: "tiny",
              remote_model: "vendor/tiny-1",
              capabilities: ["text_generation"],
              cost_unit: "per_request",
              credit_cost_milli_credits: 1,
            },
          ],
        },
      ]),
    },
    faults: { runner: [FAULT] },
  });
});

function workflowOf(tasks: number): Promise<string> {
  return watched.publish(
    `waits ${tasks}`,
    [
      { id: "rows", type: "enumerate/range", parameters: { start: 1, end: tasks } },
      {
        id: "line",
        type: "text/template",
        parameters: { template: "Row [row]", placeholders: [{ inputPort: "row" }] },
      },
      { id: "write", type: "ai/text_generation", parameters: { model: "tiny" } },
      { id: "text", type: "output/text", parameters: { key: "text" } },
    ],
    ["rows.value > line.row", "line.text > write.prompt", "write.text > text.text"],
  );
}

afterAll(async () => {
  await watched?.stop();
  server.stop();
});

/** Fewer tasks, because the Worker is stopped again and again to be measured meanwhile; each keeps as much more. */
const FAULTY_TASKS = 400;
const FAULT = {
  before: /this\.#waiting \+= isKnown\d* \? 0 : 1;/,
  holds: "new Uint8Array(64 * 1024)",
};

/** Items that have been with an executor. */
async function countAttempted(id: string): Promise<number> {
  const path = `/api/v1/executions/${id}/trace/nodes/write/iterations?page_size=500`;
  let count = 0;
  for (let after: string | null = ""; after !== null;) {
    const more = after === "" ? "" : `&after=${encodeURIComponent(after)}`;
    // oxlint-disable-next-line no-await-in-loop -- page by page
    const page: TraceIterationPage = await watched.call("GET", `${path}${more}`);
    count += page.data.filter(({ attempt_count: attempts }) => attempts > 0).length;
    after = page.next_cursor;
  }
  return count;
}

/** Begins a run and returns once all of its tasks wait. */
async function waiting(tasks: number): Promise<string> {
  held.length = 0;
  const workflow = await workflowOf(tasks);
  await watched.wake();
  const id = await submitRun(watched.client, { workflow } as never);
  await expect.poll(() => held.length, { timeout: 120_000 }).toBe(PLACES);
  await expect.poll(() => countAttempted(id), { timeout: 300_000, interval: 2_000 }).toBe(tasks);
  return id;
}

async function cancelled(id: string): Promise<void> {
  await watched.call("POST", `/api/v1/executions/${id}/cancel`);
  await waitForRun(watched.client, id);
}

/** Bytes of both Workers over their level at rest, now. */
async function bytesNow(): Promise<readonly [api: number, runner: number]> {
  const now = async (worker: "api" | "runner") =>
    (await watched.watch(worker).during(() => Promise.resolve())).peak;
  return [await now("api"), await now("runner")];
}

test(
  "10,000 tasks that wait at a provider hold less than 16 MB",
  { timeout: 600_000 },
  async () => {
    await cancelled(await waiting(FIRST_TASKS));
    const before = await bytesNow();
    const id = await waiting(TASKS);
    const [api, runner] = (await bytesNow()).map((bytes, at) => bytes - before[at]!);
    process.stderr.write(
      `live bytes: ${TASKS} waiting tasks: api ${(api! / MB).toFixed(1)} MB, runner ${(runner! / MB).toFixed(1)} MB over ${before.map((bytes) => (bytes / MB).toFixed(1)).join(" and ")}\n`,
    );
    expect(api! + runner!).toBeLessThan(BYTES_MAX);
    expect(api! + runner!).toBeGreaterThan(MB);
    await cancelled(id);
  },
);

test("a queue that keeps something for each task is found", { timeout: 600_000 }, async () => {
  let id = "";
  const { peak } = await watched.watch("runner").duringFault(FAULT, async () => {
    id = await waiting(FAULTY_TASKS);
  });
  expectFound("a queue of tasks", peak, BYTES_MAX);
  await cancelled(id);
});

/**
 * Runs whose calls are more than a provider takes at once (docs/contract/models.md#concurrency): never more than its
 * places, pauses after a 429, what the tasks cost that wait, and places of calls that were cancelled or killed.
 */
import "../support/only-in-proof.ts";
import { readFile } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { publish } from "../../scripts/provision.ts";
import { submitRun, waitForRun } from "../../scripts/run-workflow.ts";
import type { Trace, TraceIterationPage } from "../../src/contracts/runs/trace.ts";
import { type RunningService, startService } from "../support/node/start-service.ts";
import { answerChat, sendJson } from "../support/providers/openai-chat.ts";
import { ScriptedServer } from "../support/providers/scripted-server.ts";

const PLACES = 2;
/** Of another provider: more than the answers for which an executor has memory at once. */
const MANY_PLACES = 8;
const ANSWER = answerChat({ pieces: ["a"], usage: { prompt_tokens: 10, completion_tokens: 10 } });

let inFlight = 0;
let most = 0;
/** Answers that are held until a test lets them go. */
let held: ServerResponse[] = [];
let isHolding = false;

const server = new ScriptedServer(async (request, response) => {
  inFlight += 1;
  most = Math.max(most, inFlight);
  response.on("close", () => {
    inFlight -= 1;
  });
  if (isHolding) {
    held.push(response);
    return;
  }
  await new Promise((resolve) => setTimeout(resolve, 5));
  await ANSWER(request, response);
});
const script = server.answer;
let directory: string;
let service: RunningService;
const workflows = new Map<string, string>();

async function start(): Promise<void> {
  service = await startService({ directory, env: { PROVIDERS_ALLOW_LOOPBACK: server.host } });
}

async function workflowOf(items: number, model: string): Promise<string> {
  const name = `${model} ${items}`;
  const known = workflows.get(name);
  if (known !== undefined) {
    return known;
  }
  const definition = {
    nodes: [
      { id: "rows", type: "enumerate/range", parameters: { start: 1, end: items } },
      {
        id: "line",
        type: "text/template",
        parameters: { template: "Row [row]", placeholders: [{ inputPort: "row" }] },
      },
      {
        id: "write",
        type: "ai/text_generation",
        parameters: { model, max_output_tokens: 16, max_input_tokens: 100 },
      },
      { id: "text", type: "output/text", parameters: { key: "text" } },
    ],
    connections: [
      { from: { node: "rows", port: "value" }, to: { node: "line", port: "row" } },
      { from: { node: "line", port: "text" }, to: { node: "write", port: "prompt" } },
      { from: { node: "write", port: "text" }, to: { node: "text", port: "text" } },
    ],
  };
  const id = await publish(service.client, { name, definition } as never);
  workflows.set(name, id);
  return id;
}

async function submit(items: number, model = "tiny"): Promise<string> {
  return await submitRun(service.client, { workflow: await workflowOf(items, model) } as never);
}

async function addProvider(id: string, model: string, places: number): Promise<void> {
  const response = await fetch(`${service.baseUrl}/admin/v1/providers/${id}`, {
    method: "PUT",
    headers: {
      authorization: `Bearer ${service.credentials.admin_token}`,
      "content-type": "application/json",
    },
    body: JSON.stringify({
      kind: "openai_compatible",
      base_url: `http://${server.host}/v1`,
      max_concurrency: places,
      models: [
        {
          model,
          remote_model: "vendor/tiny-1",
          capabilities: ["text_generation"],
          cost_unit: "per_1k_tokens",
          input_milli_credits_per_1k: 100,
          output_milli_credits_per_1k: 100,
        },
      ],
    }),
  });
  expect(response.status, await response.clone().text()).toBe(200);
}

beforeAll(async () => {
  await server.start();
  directory = await mkdtemp(join(tmpdir(), "edgeloom-gate-"));
  await start();
  for (const [id, model, places] of [
    ["mine", "tiny", PLACES],
    ["many", "busy", MANY_PLACES],
  ] as const) {
    // oxlint-disable-next-line no-await-in-loop -- two providers
    await addProvider(id, model, places);
  }
});

afterAll(async () => {
  await service.stop();
  server.stop();
  await rm(directory, { recursive: true, force: true });
});

beforeEach(() => {
  server.received.length = 0;
  server.answer = script;
  held = [];
  isHolding = false;
  most = 0;
});

/** CPU time of workerd, in milliseconds. */
async function cpuMs(): Promise<number> {
  const stat = await readFile(`/proc/${await service.workerdPid()}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** Items that have been with an executor. */
async function countAttempted(id: string): Promise<number> {
  const path = `/api/v1/executions/${id}/trace/nodes/write/iterations?page_size=500`;
  let count = 0;
  for (let after: string | null = ""; after !== null;) {
    const more = after === "" ? "" : `&after=${encodeURIComponent(after)}`;
    // oxlint-disable-next-line no-await-in-loop -- page by page
    const page: TraceIterationPage = await service.client.call("GET", `${path}${more}`);
    count += page.data.filter(({ attempt_count: attempts }) => attempts > 0).length;
    after = page.next_cursor;
  }
  return count;
}

describe("a provider with few places", () => {
  it("is never asked more than it takes at once; every item is made, with one attempt and one charge", async () => {
    const id = await submit(40);
    const execution = await waitForRun(service.client, id);
    expect(execution).toMatchObject({ status: "completed", credits_used: 0.08 });
    expect(server.received).toHaveLength(40);
    expect(most).toBeLessThanOrEqual(PLACES);
    const trace = await service.client.call<Trace>("GET", `/api/v1/executions/${id}/trace`);
    expect(trace.nodes.find(({ node_id: node }) => node === "write")).toMatchObject({
      attempt_count: 1,
      retry_count: 0,
      models: [{ provider: "mine", model: "tiny", calls: 40, unconfirmed_repeats: 0 }],
    });
  });

  it("is asked as often at once as it has places: calls wait for their responses with little memory", async () => {
    isHolding = true;
    const id = await submit(20, "busy");
    // Nobody is answered before all places are taken.
    await expect.poll(() => held.length, { timeout: 120_000 }).toBe(MANY_PLACES);
    isHolding = false;
    held.forEach((response) => void ANSWER(server.received[0]!, response));
    expect(await waitForRun(service.client, id)).toMatchObject({ status: "completed" });
    expect([server.received.length, most]).toEqual([20, MANY_PLACES]);
  });

  it("that asks for a pause is not called by anybody of the workspace until its end", async () => {
    let pausedAtMs = 0;
    const times: number[] = [];
    server.answer = async (request, response) => {
      times.push(Date.now());
      if (times.length === 5) {
        pausedAtMs = Date.now();
        sendJson(response, 429, { error: { message: "slow down" } }, { "retry-after": "3" });
        return;
      }
      await script(request, response);
    };
    const execution = await waitForRun(service.client, await submit(20));
    expect(execution).toMatchObject({ status: "completed" });
    // Requests that were on their way when the answer left are not in the pause.
    const early = times.filter((at) => at > pausedAtMs + 500 && at < pausedAtMs + 2_900);
    expect(early).toEqual([]);
    expect(times).toHaveLength(21);
  });

  it("gets the places back of a run that is cancelled, also of those in the queue", async () => {
    isHolding = true;
    const id = await submit(200);
    await expect.poll(() => held.length, { timeout: 120_000 }).toBe(PLACES);
    await service.client.call("POST", `/api/v1/executions/${id}/cancel`);
    expect(await waitForRun(service.client, id)).toMatchObject({ status: "cancelled" });
    isHolding = false;
    const startedMs = Date.now();
    const next = await waitForRun(service.client, await submit(6));
    expect(next).toMatchObject({ status: "completed" });
    // Shorter than the lease of a place that nobody gives back.
    expect(Date.now() - startedMs).toBeLessThan(15_000);
  });

  it("is asked on after SIGKILL: queued tasks do not wait for a queue that is gone", async () => {
    isHolding = true;
    const id = await submit(12);
    await expect.poll(() => held.length, { timeout: 120_000 }).toBe(PLACES);
    await service.kill(await service.workerdPid());
    isHolding = false;
    most = 0;
    const before = server.received.length;
    await start();
    const startedMs = Date.now();
    const execution = await waitForRun(service.client, id);
    expect(execution).toMatchObject({ status: "completed", credits_used: 0.024 });
    expect(Date.now() - startedMs).toBeLessThan(25_000);
    expect(most).toBeLessThanOrEqual(PLACES);
    expect(server.received.length - before).toBe(12);
    const trace = await service.client.call<Trace>("GET", `/api/v1/executions/${id}/trace`);
    const [models] = trace.nodes.find(({ node_id: node }) => node === "write")?.models ?? [];
    // Tasks whose wait was not yet recorded look like those whose request was lost.
    const repeats = models?.unconfirmed_repeats ?? 0;
    expect(models?.calls).toBe(12 + repeats);
    expect(repeats).toBeGreaterThanOrEqual(PLACES);
    expect(repeats).toBeLessThanOrEqual(12);
  });

  it("costs no CPU time for the thousands of tasks that wait", async () => {
    isHolding = true;
    const items = Number(process.env["WAITING_TASKS"] ?? 1_000);
    const id = await submit(items);
    await expect.poll(() => held.length, { timeout: 120_000 }).toBe(PLACES);
    let lastMs = await cpuMs();
    // Until every task has asked once.
    for (let quiet = 0; quiet < 2;) {
      // oxlint-disable-next-line no-await-in-loop -- until it is quiet
      await new Promise((resolve) => setTimeout(resolve, 2_000));
      // oxlint-disable-next-line no-await-in-loop -- until it is quiet
      const nowMs = await cpuMs();
      quiet = nowMs - lastMs < 100 ? quiet + 1 : 0;
      lastMs = nowMs;
    }
    expect(await countAttempted(id)).toBe(items);
    const idleMs = await cpuMs();
    await new Promise((resolve) => setTimeout(resolve, 10_000));
    const usedMs = (await cpuMs()) - idleMs;
    expect(usedMs).toBeLessThan(500);
    await service.client.call("POST", `/api/v1/executions/${id}/cancel`);
    await waitForRun(service.client, id);
  }, 300_000);
});

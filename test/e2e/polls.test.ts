/** 100,000 polls of one run: no error, and no growth of memory. */
import "../support/only-in-proof.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { fanOut } from "../../bench/bench-workflows.ts";
import { httpCall } from "../../bench/http-call.ts";
import { connectInspector } from "../../bench/inspector.ts";
import { freePort } from "../../scripts/free-port.ts";
import { publish } from "../../scripts/provision.ts";
import { type RunningService, startService } from "../support/node/start-service.ts";

const POLLS = 100_000;
const CLIENTS = 16;
const MEGABYTE = 2 ** 20;

let service: RunningService;
let inspectorPort: number;

beforeAll(async () => {
  inspectorPort = await freePort();
  service = await startService({ inspectorPort });
});

afterAll(() => service.stop());

async function operator(method: string, path: string, body: unknown): Promise<void> {
  const response = await fetch(`${service.baseUrl}/admin/v1/${path}`, {
    method,
    headers: {
      authorization: `Bearer ${service.credentials.admin_token}`,
      "content-type": "application/json",
    },
    body: JSON.stringify(body),
  });
  expect(response.status).toBe(200);
}

test(
  "polls of a run never fail, never go back in progress, and do not grow memory",
  { timeout: 900_000 },
  async () => {
    const { client } = service;
    // More than 100,000 a minute are 429 on plan dev, as specified.
    await operator("PUT", "plans/polled", { limits: { requests_per_minute: 10_000_000 } });
    await operator("PUT", `workspaces/${service.credentials.workspace_id}/plan`, {
      plan: "polled",
    });
    const workflow = await publish(client, fanOut(2_000));
    const { id } = await client.call<{ id: string }>("POST", "/api/v1/executions", {
      body: { workflow },
    });
    const headers = { authorization: `Bearer ${await client.token()}` };
    const url = `${service.baseUrl}/api/v1/executions/${id}`;
    const inspector = await connectInspector(inspectorPort, "edgeloom");
    const heap = async () => {
      await inspector.collectGarbage(() => httpCall("GET", url, { headers }));
      return (await inspector.heapBytes()) / MEGABYTE;
    };
    const statuses = new Map<number, number>();
    let [left, wentBack] = [0, 0];
    const pollInTurn = async () => {
      let progress = 0;
      while (left > 0) {
        left -= 1;
        const response = await httpCall("GET", url, { headers });
        statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
        if (response.status === 200) {
          const run = JSON.parse(response.text) as { progress: number };
          // An `expect` for each poll takes as long as the poll.
          wentBack += run.progress >= progress ? 0 : 1;
          progress = run.progress;
        }
      }
    };
    const poll = async (count: number) => {
      left = count;
      await Promise.all(Array.from({ length: CLIENTS }, pollInTurn));
    };
    // Caches and compiled code grow first.
    await poll(POLLS / 5);
    const before = await heap();
    await poll((POLLS * 4) / 5);
    const after = await heap();
    inspector.close();
    expect(Object.fromEntries(statuses)).toEqual({ 200: POLLS });
    expect(wentBack).toBe(0);
    expect(after - before).toBeLessThan(4);
  },
);

/** docs/contract/embeds.md#caps on the service as it runs: hundreds of calls at once, SIGKILL in their middle, restart. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type RunningService, startService } from "../support/node/start-service.ts";
import "../support/only-in-proof.ts";

const CALLS = 500;
const CAP = 60;
const DEFINITION = {
  nodes: [
    { id: "in", type: "input/text", label: "Words", parameters: { required: false } },
    { id: "out", type: "output/text", label: "Said", parameters: {} },
  ],
  connections: [{ from: { node: "in", port: "text" }, to: { node: "out", port: "text" } }],
};

interface Checked {
  readonly permit: string;
  readonly executions: { readonly used: number };
}

let directory: string;
let service: RunningService;
let workflow: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "edgeloom-embeds-"));
  service = await startService({ directory });
  const created = await service.client.call<{ id: string }>("POST", "/api/v1/workflows", {
    body: { name: "Echo", definition: DEFINITION },
  });
  workflow = created.id;
  await service.client.call("POST", `/api/v1/workflows/${workflow}/publish`);
});

afterAll(async () => {
  await service.stop();
  await rm(directory, { recursive: true, force: true });
});

async function mint(): Promise<string> {
  const { token } = await service.client.call<{ token: string }>("POST", "/api/v1/embed/tokens", {
    body: {
      workflow,
      allowed_origins: ["https://app.example.com"],
      max_executions: CAP,
    },
  });
  return token;
}

function embed(method: string, path: string, token: string, body?: object): Promise<Response> {
  return fetch(`${service.baseUrl}/api/embed/${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body !== undefined && { "content-type": "application/json" }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

/** Many checks at once: what was answered with a permit. `onAnswer` is called with the number of permits so far. */
async function checkAll(
  token: string,
  onAnswer: (permits: number) => void = () => {},
): Promise<Checked[]> {
  const checked: Checked[] = [];
  await Promise.all(
    Array.from({ length: CALLS }, async () => {
      try {
        const response = await embed("POST", "check-execution", token);
        const body = (await response.json()) as Checked;
        if (response.status === 200) {
          checked.push(body);
          onAnswer(checked.length);
        } else {
          expect(response.status, JSON.stringify(body)).toBe(403);
        }
      } catch (error) {
        // The service was killed under this call.
        expect(error).toBeInstanceOf(TypeError);
      }
    }),
  );
  return checked;
}

async function usedOf(token: string): Promise<number> {
  const response = await embed("GET", "config", token);
  return ((await response.json()) as Checked).executions.used;
}

it("500 parallel checks at a cap give exactly as many permits", async () => {
  const token = await mint();
  const checked = await checkAll(token);
  expect(checked.length).toBe(CAP);
  expect(new Set(checked.map(({ permit }) => permit)).size).toBe(CAP);
  expect(await usedOf(token)).toBe(CAP);
});

it("a SIGKILL amid 500 checks loses no answered permit, and the cap holds across it", async () => {
  const token = await mint();
  const workerd = await service.workerdPid();
  let killed: Promise<void> | undefined;
  const before = await checkAll(token, (permits) => {
    if (permits === 10) {
      killed = service.kill(workerd);
    }
  });
  await killed;
  service = await startService({ directory });
  // Permits whose response the kill cut off stay counted.
  const used = await usedOf(token);
  expect(used).toBeGreaterThanOrEqual(before.length);
  expect(used).toBeLessThanOrEqual(CAP);
  const after = await checkAll(token);
  expect(after.length).toBe(CAP - used);
  const permits = [...before, ...after].map(({ permit }) => permit);
  expect(new Set(permits).size).toBe(permits.length);
  // Each answered permit is good for one run, on either side of the kill.
  for (const permit of [permits[0], permits.at(-1)]) {
    const submits = await Promise.all(
      [1, 2, 3].map(async () => (await embed("POST", "executions", token, { permit })).status),
    );
    expect(submits.toSorted((a, b) => a - b)).toEqual([202, 403, 403]);
  }
});

it("a revocation survives a SIGKILL right after its answer", async () => {
  const { token, jti } = await service.client.call<{ token: string; jti: string }>(
    "POST",
    "/api/v1/embed/tokens",
    { body: { workflow, allowed_origins: ["https://app.example.com"] } },
  );
  expect((await embed("GET", "config", token)).status).toBe(200);
  const workerd = await service.workerdPid();
  await service.client.call("DELETE", `/api/v1/embed/tokens/${jti}`);
  await service.kill(workerd);
  service = await startService({ directory });
  expect((await embed("GET", "config", token)).status).toBe(401);
});

/** Every row of the transition table of docs/contract/executions.md#statuses, over the whole service. */
import { beforeAll, expect, test } from "vitest";
import { ApiClient, type Credentials } from "../../scripts/api-client.ts";
import { sharedService, type SharedService } from "../support/node/shared-service.ts";
import { CODES, DEFERRED_CODES } from "../support/paid-definitions.ts";

interface Run {
  readonly id: string;
  readonly status: string;
  readonly error_code: string | null;
  readonly credits_used?: number;
  readonly started_at: string | null;
  readonly completed_at: string | null;
}
interface Tenant {
  readonly client: ApiClient;
  readonly workspaceId: string;
  readonly codes: string;
  readonly deferred: string;
}

let service: SharedService;
/** Tenants on plan `dev`, without credits, and with one slot. */
let rich: Tenant;
let poor: Tenant;
let narrow: Tenant;

beforeAll(async () => {
  service = await sharedService();
  rich = await tenant("rich", {});
  poor = await tenant("poor", { max_credits_per_month: 0 });
  narrow = await tenant("narrow", { max_concurrent_executions: 1 });
});

async function admin<T>(method: string, path: string, body: unknown): Promise<T> {
  const response = await fetch(`${service.baseUrl}/admin/v1/${path}`, {
    method,
    headers: {
      authorization: `Bearer ${service.credentials.admin_token}`,
      "content-type": "application/json",
    },
    body: JSON.stringify(body),
  });
  expect(response.ok, `${method} ${path}`).toBe(true);
  return (await response.json()) as T;
}

async function tenant(code: string, limits: Record<string, unknown>): Promise<Tenant> {
  await admin("PUT", `plans/${code}`, { limits: { requests_per_minute: 100_000, ...limits } });
  const org = await admin<{ id: string }>("POST", "organizations", { name: code, plan: code });
  const workspace = await admin<{ id: string }>("POST", "workspaces", {
    organization_id: org.id,
    name: code,
  });
  const key = await admin<Pick<Credentials, "client_id" | "client_secret">>("POST", "api-keys", {
    workspace_id: workspace.id,
    name: code,
  });
  const client = new ApiClient({ base_url: service.baseUrl, ...key });
  const publish = async (definition: unknown) => {
    const body = { name: code, definition };
    const { id } = await client.call<{ id: string }>("POST", "/api/v1/workflows", { body });
    await client.call("POST", `/api/v1/workflows/${id}/publish`);
    return id;
  };
  return {
    client,
    workspaceId: workspace.id,
    codes: await publish(CODES),
    deferred: await publish(DEFERRED_CODES),
  };
}

const rows = (list: readonly string[]) => ({ rows: { value: JSON.stringify(list) } });
const data = (n: number) => ({ data: { value: JSON.stringify({ rows: Array(n).fill("row") }) } });

const submit = ({ client }: Tenant, body: unknown) =>
  client.call<Run>("POST", "/api/v1/executions", { body });
const read = ({ client }: Tenant, id: string) =>
  client.call<Run>("GET", `/api/v1/executions/${id}`);
const cancel = ({ client }: Tenant, id: string) =>
  client.send("POST", `/api/v1/executions/${id}/cancel`);
const reservedOf = async ({ client }: Tenant) =>
  (await client.call<{ usage: { credits_reserved: number } }>("GET", "/api/v1/plan")).usage
    .credits_reserved;

async function ended(by: Tenant, id: string): Promise<Run> {
  for (let poll = 0; poll < 600; poll++) {
    const run = await read(by, id);
    if (run.completed_at !== null) {
      return run;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`${id} has not ended`);
}

test("(none) → pending or running, credits reserved → completed; cancelling it then is already_terminal", async () => {
  const list = Array.from({ length: 40 }, (_, at) => `row ${String(at)}`);
  const run = await submit(rich, { workflow: rich.codes, inputs: rows(list) });
  expect(["pending", "running"]).toContain(run.status);
  expect(await reservedOf(rich)).toBeGreaterThan(0);
  expect(await ended(rich, run.id)).toMatchObject({ status: "completed", credits_used: 0.8 });
  const late = await cancel(rich, run.id);
  expect([late.status, ((await late.json()) as { code: string }).code]).toEqual([
    422,
    "already_terminal",
  ]);
  expect((await read(rich, run.id)).status).toBe("completed");
});

test("(none) → a committed failed run, for an idempotent submit that the balance does not cover", async () => {
  const response = await poor.client.send("POST", "/api/v1/executions", {
    body: { workflow: poor.codes, inputs: rows(["a"]) },
    headers: { "Idempotency-Key": "transition-1" },
  });
  const problem = (await response.json()) as { code: string; execution_id: string };
  expect([response.status, problem.code]).toEqual([402, "insufficient_credits"]);
  expect((await read(poor, problem.execution_id)).status).toBe("failed");
});

test("pending → running first in, first out; pending → cancelling → cancelled, with a full refund", async () => {
  const list = Array.from({ length: 30 }, (_, at) => `row ${String(at)}`);
  const runs: Run[] = [];
  for (let at = 0; at < 4; at++) {
    runs.push(await submit(narrow, { workflow: narrow.codes, inputs: rows(list) }));
  }
  const [first, second, third, last] = runs as [Run, Run, Run, Run];
  expect((await read(narrow, last.id)).status).toBe("pending");
  const response = await cancel(narrow, last.id);
  expect(((await response.json()) as Run).status).toBe("cancelling");
  expect(await ended(narrow, last.id)).toMatchObject({ status: "cancelled", credits_used: 0 });
  const done = [
    await ended(narrow, first.id),
    await ended(narrow, second.id),
    await ended(narrow, third.id),
  ];
  expect(done.map(({ status }) => status)).toEqual(["completed", "completed", "completed"]);
  for (const [at, run] of done.slice(1).entries()) {
    expect(Date.parse(run.started_at!)).toBeGreaterThanOrEqual(Date.parse(done[at]!.completed_at!));
  }
  for (let poll = 0; poll < 100 && (await reservedOf(narrow)) > 0; poll++) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  expect(await reservedOf(narrow)).toBe(0);
});

test("running → partial_success if some node failed, charged for successful elements", async () => {
  const inputs = rows(["fits", "x".repeat(8_000)]);
  const run = await submit(rich, { workflow: rich.codes, inputs });
  const last = await ended(rich, run.id);
  expect(last).toMatchObject({ status: "partial_success", credits_used: 0.02 });
  expect(last.error_code).toMatch(/^CODE_/);
});

test.each([
  ["ITERATION_LIMIT_EXCEEDED", { max_iterations_per_node: 2 }],
  ["ADMISSION_LIMIT_EXCEEDED", { max_admitted_milli_credits: 40 }],
])("running → a terminal partial result with %s, outputs kept", async (code, limits) => {
  const run = await submit(rich, {
    workflow: rich.deferred,
    inputs: data(3),
    admission_limits: limits,
  });
  expect(await ended(rich, run.id)).toMatchObject({ status: "partial_success", error_code: code });
  const { result } = await rich.client.call<{
    result: { by_key: Record<string, { state: string }> };
  }>("GET", `/api/v1/executions/${run.id}/result`);
  expect(result.by_key["echo"]?.state).toBe("present");
});

test("running → a terminal partial result with INSUFFICIENT_CREDITS, outputs kept", async () => {
  const run = await submit(poor, { workflow: poor.deferred, inputs: data(3) });
  expect(await ended(poor, run.id)).toMatchObject({
    status: "partial_success",
    error_code: "INSUFFICIENT_CREDITS",
    credits_used: 0,
  });
});

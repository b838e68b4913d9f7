import { beforeAll, describe, expect, it } from "vitest";
import { type Reply, call, type Caller, newCaller, operator } from "../../support/api-caller.ts";
import { BRANCHED_CODES, CODES, DEFERRED_CODES } from "../../support/paid-definitions.ts";
import { publishedWorkflow } from "../../support/published-workflow.ts";
import { waitUntil } from "../../support/wait-until.ts";

const rows = (n: number) => ({
  rows: { value: JSON.stringify(Array.from({ length: n }, (_, i) => `row ${String(i)}`)) },
});
const data = (n: number) => ({
  data: {
    value: JSON.stringify({ rows: Array.from({ length: n }, (_, i) => `row ${String(i)}`) }),
  },
});

let caller: Caller;
let codes: string;
let deferred: string;

async function onPlan(limits: Record<string, unknown>): Promise<Caller> {
  const code = `p-${crypto.randomUUID().slice(0, 8)}`;
  await operator("PUT", `/admin/v1/plans/${code}`, {
    limits: { requests_per_minute: 100_000, ...limits },
  });
  const made = await newCaller();
  await operator("PUT", `/admin/v1/workspaces/${made.workspaceId}/plan`, { plan: code });
  return made;
}

const submit = (by: Caller, body: unknown, headers: Record<string, string> = {}) =>
  call("POST", "/api/v1/executions", { token: by.token, json: body, headers });
const get = (by: Caller, path: string) => call("GET", path, { token: by.token });
const plan = async (by: Caller) => (await get(by, "/api/v1/plan")).json;
const ledger = async (by: Caller) =>
  (await operator("GET", `/admin/v1/workspaces/${by.workspaceId}/ledger?limit=100`)).json.data as {
    kind: string;
    run?: string;
    milli_credits: number;
    balance_after: number;
  }[];

async function ended(by: Caller, id: string): Promise<Reply> {
  return waitUntil(`${id} to end`, async () => {
    const response = await get(by, `/api/v1/executions/${id}`);
    return response.json.completed_at !== null && response;
  });
}

beforeAll(async () => {
  caller = await newCaller();
  codes = await publishedWorkflow(caller, CODES);
  deferred = await publishedWorkflow(caller, DEFERRED_CODES);
});

describe("a submit whose counts are known", () => {
  it("reserves its whole liability before the run starts, and releases it when cancelled", async () => {
    const { json, status } = await submit(caller, { workflow: codes, inputs: rows(3) });
    expect(status).toBe(202);
    expect(await ledger(caller)).toMatchObject([
      { kind: "reserve", run: json.id, milli_credits: 60, balance_after: 999_999_940 },
      { kind: "grant", milli_credits: 1_000_000_000 },
    ]);
    const cancelled = await call("POST", `/api/v1/executions/${json.id}/cancel`, caller);
    expect([cancelled.status, cancelled.json.status]).toEqual([200, "cancelling"]);
    const last = await ended(caller, json.id);
    expect(last.json).toMatchObject({ status: "cancelled", credits_used: 0 });
    await waitUntil("the ledger", async () => (await ledger(caller))[0]?.kind === "release");
    expect((await ledger(caller))[0]).toMatchObject({ milli_credits: 60, run: json.id });
    const again = await call("POST", `/api/v1/executions/${json.id}/cancel`, caller);
    expect([again.status, again.json.code]).toEqual([422, "already_terminal"]);
  });

  it.each([
    ["max_iterations_per_node", { max_iterations_per_node: 2 }, "rows"],
    ["max_admitted_milli_credits", { max_admitted_milli_credits: 59 }, "codes"],
  ])(
    "above %s is rejected with nothing created, naming bound and node",
    async (bound, limits, node) => {
      const before = await get(caller, "/api/v1/executions?limit=1");
      const body = { workflow: codes, inputs: rows(3), admission_limits: limits };
      const { status, json } = await submit(caller, body, { "idempotency-key": "bounds-1" });
      expect([status, json.code]).toEqual([400, "validation_error"]);
      expect(json.errors).toMatchObject([{ field: `admission_limits.${bound}`, node_id: node }]);
      const after = await get(caller, "/api/v1/executions?limit=1");
      expect(after.json.total_count).toBe(before.json.total_count);
      expect((await submit(caller, { ...body, admission_limits: { [bound]: 60 } })).status).toBe(
        202,
      );
    },
  );

  it("above the limit of 10,000 is rejected whatever the bound", async () => {
    const { status, json } = await submit(caller, {
      workflow: codes,
      inputs: rows(10_001),
      admission_limits: { max_iterations_per_node: 1_000_000 },
    });
    expect([status, json.code]).toEqual([400, "validation_error"]);
    expect(json.detail).toContain("10001 iterations");
  });

  it("above the balance is 402: a failed run under a key, replayed after a top-up; nothing without one", async () => {
    const poor = await onPlan({ max_credits_per_month: 0 });
    const workflow = await publishedWorkflow(poor, CODES);
    const body = { workflow, inputs: rows(2) };
    const bare = await submit(poor, body);
    expect([bare.status, bare.json.code, bare.json.execution_id]).toEqual([
      402,
      "insufficient_credits",
      undefined,
    ]);
    expect((await get(poor, "/api/v1/executions")).json.total_count).toBe(0);
    const keyed = await submit(poor, body, { "idempotency-key": "too-poor-1" });
    expect([keyed.status, keyed.json.code]).toEqual([402, "insufficient_credits"]);
    const run = keyed.json.execution_id;
    expect((await get(poor, `/api/v1/executions/${run}`)).json).toMatchObject({
      status: "failed",
      error_code: "insufficient_credits",
    });
    const grant = {
      workspace_id: poor.workspaceId,
      milli_credits: 40,
      idempotency_key: "top-up-1",
    };
    expect((await operator("POST", "/admin/v1/credit-grants", grant)).status).toBe(201);
    const replay = await submit(poor, body, { "idempotency-key": "too-poor-1" });
    expect([replay.status, replay.json.execution_id]).toEqual([402, run]);
    expect(replay.headers.get("idempotency-replayed")).toBe("true");
    expect((await submit(poor, body)).status).toBe(202);
    expect((await submit(poor, body)).status).toBe(402);
  });
});

describe.each([["max_iterations_per_node"], ["max_admitted_milli_credits"]])("%s", (bound) => {
  it.each(["0", "-1", "1.5", "9007199254740992", "1e400", '"5"', "null", "true"])(
    "of %s is rejected",
    async (value) => {
      const body = `{"workflow":"${codes}","inputs":${JSON.stringify(rows(1))},"admission_limits":{"${bound}":${value}}}`;
      const { status, json } = await call("POST", "/api/v1/executions", {
        token: caller.token,
        headers: { "content-type": "application/json" },
        body,
      });
      expect([status, json.code]).toEqual([400, "validation_error"]);
      expect(JSON.stringify(json.errors)).toContain(bound);
    },
  );
});

describe("a plan resolved during the run", () => {
  it.each([
    ["ITERATION_LIMIT_EXCEEDED", { max_iterations_per_node: 2 }],
    ["ADMISSION_LIMIT_EXCEEDED", { max_admitted_milli_credits: 59 }],
  ])(
    "[E15] [E17] that exceeds a bound ends with %s, keeps its outputs and costs nothing",
    async (code, limits) => {
      const { json } = await submit(caller, {
        workflow: deferred,
        inputs: data(3),
        admission_limits: limits,
      });
      const last = await ended(caller, json.id);
      expect(last.json).toMatchObject({
        status: "partial_success",
        error_code: code,
        credits_used: 0,
      });
      const result = await get(caller, `/api/v1/executions/${json.id}/result`);
      expect(result.json.result.by_key.echo.state).toBe("present");
      expect(result.json.result.by_key.out.state).toBe("missing");
    },
  );

  it("[E17] that the balance does not cover ends with INSUFFICIENT_CREDITS", async () => {
    const poor = await onPlan({ max_credits_per_month: 0 });
    const workflow = await publishedWorkflow(poor, DEFERRED_CODES);
    const { json, status } = await submit(poor, { workflow, inputs: data(3) });
    expect(status).toBe(202);
    expect((await ended(poor, json.id)).json).toMatchObject({
      status: "partial_success",
      error_code: "INSUFFICIENT_CREDITS",
    });
    expect((await plan(poor)).usage).toMatchObject({
      credits_used_this_month: 0,
      credits_reserved: 0,
    });
  });

  it("[E17] that fits is reserved before any of its items starts", async () => {
    const fresh = await newCaller();
    const workflow = await publishedWorkflow(fresh, DEFERRED_CODES);
    const { json } = await submit(fresh, {
      workflow,
      inputs: data(3),
      admission_limits: { max_admitted_milli_credits: 60, max_iterations_per_node: 3 },
    });
    await waitUntil("the reservation", async () => (await ledger(fresh))[0]?.kind === "reserve");
    expect((await ledger(fresh))[0]).toMatchObject({
      run: json.id,
      node_id: "codes",
      milli_credits: 60,
    });
    await call("POST", `/api/v1/executions/${json.id}/cancel`, fresh);
    await ended(fresh, json.id);
  });

  it("asks an agent for an explicit bound, by key and by header", async () => {
    const agent = await newCaller({ workspaceId: caller.workspaceId, is_agent: true });
    const body = { workflow: deferred, inputs: data(1) };
    for (const refused of [
      await submit(agent, body),
      await submit(caller, body, { "x-client-kind": "agent" }),
    ]) {
      expect([refused.status, refused.json.errors[0].field]).toEqual([
        400,
        "admission_limits.max_iterations_per_node",
      ]);
    }
    const bounded = { ...body, admission_limits: { max_iterations_per_node: 5 } };
    expect((await submit(agent, bounded)).status).toBe(202);
    expect((await submit(agent, { workflow: codes, inputs: rows(1) })).status).toBe(202);
  });
});

describe("an estimate", () => {
  const estimate = (by: Caller, workflow: string, body: unknown) =>
    call("POST", `/api/v1/workflows/${workflow}/estimate`, { token: by.token, json: body });

  it("is exact where counts are known, and creates and charges nothing", async () => {
    const before = await ledger(caller);
    const { status, json } = await estimate(caller, codes, { inputs: rows(3) });
    expect(status).toBe(200);
    expect(json).toMatchObject({
      estimated_milli_credits: 60,
      estimated_credits: 0.06,
      is_exact: true,
      reserve_milli_credits: 60,
      sufficient: true,
      warnings: [],
    });
    expect(json.per_node.find((node: { node_id: string }) => node.node_id === "codes")).toEqual({
      node_id: "codes",
      iterations: 3,
      unit: "image",
      unit_milli_credits: 20,
      milli_credits: 60,
      is_exact: true,
    });
    expect(await ledger(caller)).toEqual(before);
  });

  it("is not exact for parts that the run resolves or a branch may skip, and excludes absent parts", async () => {
    const later = await estimate(caller, deferred, { inputs: data(3) });
    expect(later.json).toMatchObject({
      is_exact: false,
      estimated_milli_credits: 20,
      reserve_milli_credits: 0,
      warnings: [{ code: "RESOLVED_AT_RUN_TIME", node_id: "codes" }],
    });
    const branched = await publishedWorkflow(caller, BRANCHED_CODES);
    const text = { text: { value: '"yes"' } };
    expect((await estimate(caller, branched, { inputs: text })).json).toMatchObject({
      is_exact: false,
      estimated_milli_credits: 20,
      reserve_milli_credits: 20,
      warnings: [{ code: "MAY_NOT_RUN", node_id: "taken" }],
    });
    const both = { ...text, extra: { value: '"more"' } };
    expect((await estimate(caller, branched, { inputs: both })).json.reserve_milli_credits).toBe(
      40,
    );
  });

  it("rejects what the submit would reject, and reports missing credits", async () => {
    expect((await estimate(caller, codes, {})).status).toBe(400);
    expect((await estimate(caller, codes, { workflow: deferred, inputs: rows(1) })).status).toBe(
      400,
    );
    const missing = await estimate(caller, `wf_${"0".repeat(32)}`, {});
    expect([missing.status, missing.json.code]).toEqual([404, "not_found"]);
    const poor = await onPlan({ max_credits_per_month: 0 });
    const workflow = await publishedWorkflow(poor, CODES);
    expect((await estimate(poor, workflow, { inputs: rows(1) })).json).toMatchObject({
      sufficient: false,
      balance_milli_credits: 0,
      is_exact: true,
      will_fail: true,
      warnings: [{ code: "INSUFFICIENT_CREDITS", node_id: "codes", milli_credits: 20, limit: 0 }],
    });
  });

  it("shows a count above a bound or the limit, and that the submit would fail", async () => {
    const bounded = await estimate(caller, codes, {
      inputs: rows(3),
      admission_limits: { max_iterations_per_node: 2, max_admitted_milli_credits: 50 },
    });
    expect([bounded.status, bounded.json]).toMatchObject([
      200,
      {
        estimated_milli_credits: 60,
        reserve_milli_credits: 60,
        is_exact: true,
        will_fail: true,
        sufficient: true,
      },
    ]);
    const { per_node: perNode, warnings } = bounded.json;
    expect(perNode.find(({ node_id }: { node_id: string }) => node_id === "codes")).toMatchObject({
      iterations: 3,
      milli_credits: 60,
      is_exact: true,
    });
    expect(warnings).toContainEqual(
      expect.objectContaining({
        code: "ITERATION_LIMIT_EXCEEDED",
        node_id: "codes",
        iterations: 3,
        limit: 2,
      }),
    );
    expect(warnings).toContainEqual(
      expect.objectContaining({
        code: "ADMISSION_LIMIT_EXCEEDED",
        node_id: "codes",
        milli_credits: 60,
        limit: 50,
      }),
    );
    const within = await estimate(caller, codes, {
      inputs: rows(3),
      admission_limits: { max_iterations_per_node: 3, max_admitted_milli_credits: 60 },
    });
    expect(within.json).toMatchObject({ will_fail: false, warnings: [] });

    // The product of two ranges is far more than the engine ever enumerates.
    const wide = await publishedWorkflow(caller, {
      nodes: [
        { id: "a", type: "enumerate/range", parameters: { start: 1, end: 1_000_000 } },
        { id: "b", type: "enumerate/range", parameters: { start: 1, end: 300 } },
        { id: "sum", type: "utility/calculate", parameters: { expression: "x + y" } },
        { id: "out", type: "output/json", label: "Out" },
      ],
      connections: [
        { from: { node: "a", port: "value" }, to: { node: "sum", port: "x" } },
        { from: { node: "b", port: "value" }, to: { node: "sum", port: "y" } },
        { from: { node: "sum", port: "result" }, to: { node: "out", port: "json" } },
      ],
    });
    const far = (await estimate(caller, wide, {})).json;
    expect(
      far.per_node.map((node: { node_id: string; iterations: number }) => [
        node.node_id,
        node.iterations,
      ]),
    ).toEqual([
      ["a", 1],
      ["b", 1],
      ["sum", 300_000_000],
      ["out", 300_000_000],
    ]);
    expect(far.will_fail).toBe(true);
    expect(
      far.warnings.map((warning: { node_id: string; iterations: number; limit: number }) => [
        warning.node_id,
        warning.iterations,
        warning.limit,
      ]),
    ).toEqual([
      ["a", 1_000_000, 10_000],
      ["sum", 300_000_000, 10_000],
      ["out", 300_000_000, 10_000],
    ]);
  });
});

describe("a plan", () => {
  it("shows its limits and the current usage", async () => {
    const fresh = await newCaller();
    await publishedWorkflow(fresh);
    const { status, json } = await get(fresh, "/api/v1/plan");
    expect(status).toBe(200);
    expect(json).toMatchObject({
      plan_code: "dev",
      plan_name: "Development",
      limits: {
        max_credits_per_month: 1_000_000,
        max_concurrent_executions: 256,
        max_run_seconds: 86_400,
      },
      usage: {
        current_workflows: 1,
        current_users: 1,
        current_storage_bytes: 0,
        credits_used_this_month: 0,
        credits_available: 1_000_000,
      },
    });
  });

  it("caps users, workflows, custom interfaces and API access with plan_limit_exceeded", async () => {
    const small = await onPlan({ max_users: 1, max_workflows: 1, max_custom_interfaces: 0 });
    const key = { workspace_id: small.workspaceId, name: "Second" };
    const second = await operator("POST", "/admin/v1/api-keys", key);
    expect([second.status, second.json.code]).toEqual([402, "plan_limit_exceeded"]);
    const definition = {
      ...CODES,
      interfaces: [
        {
          name: "I",
          fields: [{ key: "r", type: "json", required: true, bind: { node: "rows" } }],
          outputs: [{ key: "o", node: "out" }],
        },
      ],
    };
    const created = await call("POST", "/api/v1/workflows", {
      token: small.token,
      json: { name: "W", definition },
    });
    const gated = await call("POST", `/api/v1/workflows/${created.json.id}/publish`, small);
    expect([gated.status, gated.json.code]).toEqual([402, "plan_limit_exceeded"]);
    const more = await call("POST", "/api/v1/workflows", {
      token: small.token,
      json: { name: "X" },
    });
    expect([more.status, more.json.code]).toEqual([402, "plan_limit_exceeded"]);
    const closed = await onPlan({ api_access: false });
    const refused = await get(closed, "/api/v1/workflows");
    expect([refused.status, refused.json.code]).toEqual([402, "plan_limit_exceeded"]);
    expect((await get(closed, "/api/v1/plan")).json.limits.api_access).toBe(false);
  });
});

describe("credit grants", () => {
  it("are made once per key, and conflict with another amount", async () => {
    const fresh = await onPlan({ max_credits_per_month: 1 });
    const grant = (milli: unknown, key = "grant-key-1") =>
      operator("POST", "/admin/v1/credit-grants", {
        workspace_id: fresh.workspaceId,
        milli_credits: milli,
        idempotency_key: key,
      });
    const first = await grant(500);
    expect(first.json).toMatchObject({ milli_credits: 500, balance_milli_credits: 1500 });
    const again = await grant(500);
    expect([again.status, again.json.balance_milli_credits]).toEqual([201, 1500]);
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    expect((await grant(501)).json.code).toBe("idempotency_conflict");
    for (const milli of [0, -1, 1.5, 2 ** 53, "5", null]) {
      expect((await grant(milli, "grant-key-2")).json.code).toBe("validation_error");
    }
    for (let at = 0; at < 5; at++) {
      await grant(1e15, `grant-key-large-${String(at)}`);
    }
    expect((await grant(1e15, "grant-key-large-9")).json.code).toBe("validation_error");
    expect(
      (
        await operator("POST", "/admin/v1/credit-grants", {
          workspace_id: `ws_${"0".repeat(32)}`,
          milli_credits: 1,
          idempotency_key: "grant-key-3",
        })
      ).status,
    ).toBe(404);
    const page = await operator("GET", `/admin/v1/workspaces/${fresh.workspaceId}/ledger?limit=2`);
    expect(page.json).toMatchObject({ has_more: true });
    const next = await operator(
      "GET",
      `/admin/v1/workspaces/${fresh.workspaceId}/ledger?limit=100&starting_after=${page.json.next_cursor}`,
    );
    expect(next.json.data.length + 2).toBe(page.json.total_count);
    expect(next.json.data.at(-1)).toMatchObject({ kind: "grant" });
  });
});

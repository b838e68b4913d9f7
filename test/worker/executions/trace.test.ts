import { abortAllDurableObjects } from "cloudflare:test";
import { beforeAll, describe, expect, it } from "vitest";
import { Trace, TraceIterationPage } from "../../../src/contracts/runs/trace.ts";
import { FileRef } from "../../../src/lib/files/file-ref.ts";
import { type Reply, call, type Caller, newCaller } from "../../support/api-caller.ts";
import { publishedWorkflow } from "../../support/published-workflow.ts";
import { waitUntil } from "../../support/wait-until.ts";
import { CODED_DEFINITION, textsInput } from "./coded-workflow.ts";
import { failedOutcome, okOutcome, TaskRunner } from "./task-runner.ts";

/** Two ranges whose elements divide by each other, one of them by zero; and a branch not taken. */
const NESTED = {
  nodes: [
    { id: "rows", type: "enumerate/range", parameters: { start: 1, end: 3 } },
    { id: "columns", type: "enumerate/range", parameters: { start: 0, end: 1 } },
    { id: "divide", type: "utility/calculate", parameters: { expression: "a / b" } },
    { id: "unset", type: "input/text", label: "Unset", parameters: { required: false } },
    { id: "lost", type: "output/text", label: "Lost", parameters: {} },
    { id: "all", type: "output/json", label: "All", parameters: {} },
  ],
  connections: [
    { from: { node: "rows", port: "value" }, to: { node: "divide", port: "a" } },
    { from: { node: "columns", port: "value" }, to: { node: "divide", port: "b" } },
    { from: { node: "divide", port: "result" }, to: { node: "all", port: "json" } },
    { from: { node: "unset", port: "text" }, to: { node: "lost", port: "text" } },
  ],
};

let caller: Caller;
beforeAll(async () => {
  caller = await newCaller();
});

async function submit(workflow: string, inputs: unknown = {}): Promise<string> {
  const json = { workflow, inputs };
  const response = await call("POST", "/api/v1/executions", { token: caller.token, json });
  expect(response.status).toBe(202);
  return response.json.id;
}

const get = (path: string, token = caller.token): Promise<Reply> =>
  call("GET", `/api/v1/executions/${path}`, { token });

async function ended(runId: string): Promise<Reply> {
  return waitUntil(`${runId} to end`, async () => {
    const response = await get(runId);
    return response.json.completed_at !== null && response;
  });
}

async function traceOf(runId: string) {
  const response = await get(`${runId}/trace`);
  expect(response.status).toBe(200);
  return Trace.parse(response.json);
}

describe("the trace of a run", () => {
  it("has every node of the definition in order, with its result", async () => {
    const runId = await submit(await publishedWorkflow(caller, NESTED));
    const { json: execution } = await ended(runId);
    const trace = await traceOf(runId);
    expect(trace).toMatchObject({
      execution_id: runId,
      status: "partial_success",
      started_at: execution.started_at,
      completed_at: execution.completed_at,
    });
    expect(trace.nodes.map((node) => [node.node_id, node.state, node.attempt_count])).toEqual([
      ["rows", "completed", 1],
      ["columns", "completed", 1],
      ["divide", "partial_success", 1],
      ["unset", "skipped", 0],
      ["lost", "skipped", 0],
      ["all", "partial_success", 1],
    ]);
    const divide = trace.nodes[2]!;
    expect(divide.iterations).toEqual({
      total: 6,
      completed: 3,
      reused: 0,
      failed: 3,
      blocked: 0,
      skipped: 0,
      pending: 0,
    });
    expect(divide.error).toEqual({
      code: "CALC_DIVISION_BY_ZERO",
      message: "The expression divides by zero.",
    });
    expect(divide.duration_ms).toBeGreaterThanOrEqual(0);
    expect(Date.parse(divide.completed_at!)).toBeGreaterThanOrEqual(Date.parse(divide.started_at!));
    expect(trace.totals).toMatchObject({
      nodes: 6,
      iterations: { completed: 8, failed: 3, blocked: 3, skipped: 2, pending: 0 },
      retry_count: 0,
      attempt_count: 4,
      credits: 0,
    });
  });

  it("pages a node's iterations in the order of their indices, each exactly once", async () => {
    const runId = await submit(await publishedWorkflow(caller, NESTED));
    await ended(runId);
    const path = `${runId}/trace/nodes/divide/iterations`;
    const whole = TraceIterationPage.parse((await get(path)).json);
    expect(whole).toMatchObject({ has_more: false, next_cursor: null, total_count: 6 });
    expect(whole.data.map(({ input_indices, state }) => [...input_indices, state])).toEqual([
      [0, 0, "failed"],
      [0, 1, "completed"],
      [1, 0, "failed"],
      [1, 1, "completed"],
      [2, 0, "failed"],
      [2, 1, "completed"],
    ]);
    expect(whole.data[0]!.error!.code).toBe("CALC_DIVISION_BY_ZERO");
    for (const size of [1, 4, 6]) {
      const seen: unknown[] = [];
      let after = "";
      do {
        const page = TraceIterationPage.parse(
          (await get(`${path}?page_size=${size}${after}`)).json,
        );
        expect(page.data.length).toBeLessThanOrEqual(size);
        expect(page.total_count).toBe(6);
        expect(page.has_more).toBe(page.next_cursor !== null);
        seen.push(...page.data);
        after = page.next_cursor === null ? "" : `&after=${page.next_cursor}`;
      } while (after !== "");
      expect(seen).toEqual(whole.data);
    }
  });

  it("keeps attempts, retries and durations of the runner's work, also over a crash", async () => {
    const runId = await submit(
      await publishedWorkflow(caller, CODED_DEFINITION),
      textsInput(["a", "b", "c"]),
    );
    const runner = new TaskRunner(runId);
    const [first, second, third] = await runner.claim();
    const path = `${runId}/trace/nodes/draw/iterations`;
    const live = TraceIterationPage.parse((await get(path)).json);
    expect(live.data.map((each) => [each.state, each.attempt_count])).toEqual([
      ["running", 1],
      ["running", 1],
      ["running", 1],
    ]);
    expect((await traceOf(runId)).nodes[1]).toMatchObject({
      state: "running",
      completed_at: null,
      duration_ms: null,
      iterations: { total: 3, pending: 3 },
    });
    const image = new FileRef({ key: "k", name: "x.png", contentType: "image/png", sizeBytes: 1 });
    await runner.report(first!, okOutcome({ image }), 12);
    await runner.report(second!, failedOutcome("NETWORK_ERROR", "gone", true), 30);
    await runner.report(third!, failedOutcome("CODE_TOO_SMALL", "no"), 5);
    const [again] = await runner.claim();
    expect(again!.indices).toEqual([1]);
    await runner.report(again!, okOutcome({ image }), 4.6);
    await ended(runId);
    await abortAllDurableObjects();
    const { data } = TraceIterationPage.parse((await get(path)).json);
    expect(data).toEqual([
      {
        input_indices: [0],
        state: "completed",
        attempt_count: 1,
        retry_count: 0,
        duration_ms: 12,
        credits: 0.02,
        usage: null,
        reused: null,
        error: null,
      },
      {
        input_indices: [1],
        state: "completed",
        attempt_count: 2,
        retry_count: 1,
        duration_ms: 35,
        credits: 0.02,
        usage: null,
        reused: null,
        error: null,
      },
      {
        input_indices: [2],
        state: "failed",
        attempt_count: 1,
        retry_count: 0,
        duration_ms: 5,
        credits: 0,
        usage: null,
        reused: null,
        error: { code: "CODE_TOO_SMALL", message: "The code has too few pixels for its modules." },
      },
    ]);
    const trace = await traceOf(runId);
    expect(trace.nodes[1]).toMatchObject({
      retry_count: 1,
      attempt_count: 2,
      credits: 0.04,
      models: [],
      iterations: { completed: 2, failed: 1 },
    });
    expect(trace.totals.credits).toBe(0.04);
    expect((await get(runId)).json.credits_used).toBe(0.04);
  });

  it("[E14] shows one blocked iteration for a node behind a failed enumerator", async () => {
    const runId = await submit(
      await publishedWorkflow(caller, {
        nodes: [
          { id: "text", type: "input/json_value", label: "T", parameters: { required: true } },
          { id: "each", type: "enumerate/json", parameters: {} },
          { id: "out", type: "output/json", label: "Out", parameters: {} },
        ],
        connections: [
          { from: { node: "text", port: "json" }, to: { node: "each", port: "json" } },
          { from: { node: "each", port: "item" }, to: { node: "out", port: "json" } },
        ],
      }),
      { text: { value: "5" } },
    );
    await ended(runId);
    const trace = await traceOf(runId);
    expect(trace.nodes.map(({ node_id, state }) => [node_id, state])).toEqual([
      ["text", "completed"],
      ["each", "failed"],
      ["out", "blocked"],
    ]);
    expect(trace.nodes[1]!.error!.code).toBe("ENUMERATE_NOT_A_LIST");
    const each = (await get(`${runId}/trace/nodes/each/iterations`)).json;
    expect(each.data).toMatchObject([{ input_indices: [], state: "failed", attempt_count: 1 }]);
    const out = (await get(`${runId}/trace/nodes/out/iterations`)).json;
    expect(out.data).toMatchObject([{ input_indices: [0], state: "blocked", attempt_count: 0 }]);
  });

  it("[E15] shows a node with too many iterations as failed, without iterations", async () => {
    const { nodes, connections } = NESTED;
    const list = { id: "rows", type: "input/json", label: "Rows", parameters: { required: true } };
    const path = { id: "list", type: "utility/json_path", parameters: { path: "$" } };
    const each = { id: "each", type: "enumerate/json", parameters: {} };
    // Resolved during the run, so that the submit does not know it.
    const workflow = await publishedWorkflow(caller, {
      nodes: [{ ...list, type: "input/json_value" }, path, each, ...nodes.slice(1)],
      connections: [
        { from: { node: "rows", port: "json" }, to: { node: "list", port: "json" } },
        { from: { node: "list", port: "value" }, to: { node: "each", port: "json" } },
        { from: { node: "each", port: "item" }, to: { node: "divide", port: "a" } },
        ...connections.slice(1),
      ],
    });
    const json = {
      workflow,
      inputs: { rows: { value: "[1,2,3]" } },
      admission_limits: { max_iterations_per_node: 4 },
    };
    const { json: run } = await call("POST", "/api/v1/executions", { token: caller.token, json });
    await ended(run.id);
    const trace = await traceOf(run.id);
    expect(trace.nodes.find((node) => node.node_id === "divide")).toMatchObject({
      state: "failed",
      attempt_count: 0,
      error: { code: "ITERATION_LIMIT_EXCEEDED" },
      iterations: { total: 6, completed: 0, pending: 0 },
    });
    expect((await get(`${run.id}/trace/nodes/divide/iterations`)).json).toEqual({
      data: [],
      has_more: false,
      next_cursor: null,
      total_count: 0,
    });
  });

  it("rejects invalid pages, unknown nodes and runs", async () => {
    const runId = await submit(await publishedWorkflow(caller, NESTED));
    await ended(runId);
    const path = `${runId}/trace/nodes/divide/iterations`;
    for (const [query, code] of [
      ["page_size=0", "validation_error"],
      ["page_size=501", "validation_error"],
      ["page_size=-1", "validation_error"],
      ["page_size=1.5", "validation_error"],
      ["page_size=9007199254740993", "validation_error"],
      ["page_size=x", "validation_error"],
      ["after=x", "invalid_request"],
      ["after=-1", "invalid_request"],
      ["after=6", "invalid_request"],
      ["after=1.5", "invalid_request"],
      ["after=99999999999", "invalid_request"],
    ]) {
      const response = await get(`${path}?${query}`);
      expect([query, response.status, response.json.code]).toEqual([query, 400, code]);
    }
    expect((await get(`${path}?page_size=500`)).status).toBe(200);
    const none = await get(`${runId}/trace/nodes/${encodeURIComponent("__proto__")}/iterations`);
    expect([none.status, none.json.code]).toEqual([404, "not_found"]);
    const other = await newCaller();
    for (const rest of ["trace", "trace/nodes/divide/iterations"]) {
      expect((await get(`${runId}/${rest}`, other.token)).json.code).toBe("forbidden");
      expect((await get(`run_${"0".repeat(32)}/${rest}`)).json.code).toBe("not_found");
      expect((await get(`x/${rest}`)).json.code).toBe("invalid_id");
    }
  });
});

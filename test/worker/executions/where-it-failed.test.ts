import { abortAllDurableObjects, runDurableObjectAlarm } from "cloudflare:test";
import type { TaskEntry } from "../../../durable-objects/run/tasks/task-entry.ts";
import { changeTasks } from "../../support/change-tasks.ts";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { TraceIterationPage } from "../../../src/contracts/runs/trace.ts";
import { type Reply, call, type Caller, newCaller } from "../../support/api-caller.ts";
import { publishedWorkflow } from "../../support/published-workflow.ts";
import { waitUntil } from "../../support/wait-until.ts";
import { CODED_DEFINITION, textsInput } from "./coded-workflow.ts";
import { failedOutcome, TaskRunner } from "./task-runner.ts";

let caller: Caller;
beforeAll(async () => {
  caller = await newCaller();
});

const get = (path: string): Promise<Reply> =>
  call("GET", `/api/v1/executions/${path}`, { token: caller.token });

async function submit(definition: unknown, inputs: unknown = {}, more: unknown = {}) {
  const workflow = await publishedWorkflow(caller, definition);
  const json = { workflow, inputs, ...(more as object) };
  const response = await call("POST", "/api/v1/executions", { token: caller.token, json });
  expect(response.status).toBe(202);
  return response.json.id as string;
}

async function ended(runId: string): Promise<Reply["json"]> {
  const response = await waitUntil(`${runId} to end`, async () => {
    const read = await get(runId);
    return read.json.completed_at !== null && read;
  });
  return response.json;
}

const node = (id: string, type: string, parameters: unknown = {}) => ({
  id,
  type,
  label: id,
  parameters,
});
const link = (from: string, to: string) => {
  const [a, p] = from.split(".");
  const [b, q] = to.split(".");
  return { from: { node: a, port: p }, to: { node: b, port: q } };
};

/** Three rows by two columns; every other quotient divides by zero, and sums depend on the quotients. */
const QUOTIENTS = {
  nodes: [
    node("rows", "enumerate/range", { start: 1, end: 3 }),
    node("columns", "enumerate/range", { start: 0, end: 1 }),
    node("divide", "utility/calculate", { expression: "a / b" }),
    node("more", "utility/calculate", { expression: "q + 1" }),
    node("all", "output/json"),
  ],
  connections: [
    link("rows.value", "divide.a"),
    link("columns.value", "divide.b"),
    link("divide.result", "more.q"),
    link("more.result", "all.json"),
  ],
};

describe("an execution with failed work", () => {
  it("names the node and the element of its code", async () => {
    const run = await ended(await submit(QUOTIENTS));
    expect(run).toMatchObject({
      status: "partial_success",
      error_code: "CALC_DIVISION_BY_ZERO",
      error_node_id: "divide",
      error_indices: [0, 0],
    });
    const listed = await waitUntil("the list to say that it ended", async () => {
      const { data } = (await call("GET", "/api/v1/executions?limit=1", { token: caller.token }))
        .json;
      return data[0].completed_at !== null && data[0];
    });
    const { outputs: _outputs, outputs_total: _total, last_event_id: _event, ...rest } = run;
    expect(listed).toEqual({ ...rest, outputs: [] });
  });

  it("has null for both if nothing failed", async () => {
    const run = await ended(
      await submit({
        nodes: [node("n", "enumerate/range", { start: 1, end: 2 }), node("all", "output/json")],
        connections: [link("n.value", "all.json")],
      }),
    );
    expect(run).toMatchObject({ error_code: null, error_node_id: null, error_indices: null });
  });

  it("has no element if the node ended as a whole, and [] if it runs once", async () => {
    const whole = await ended(
      await submit(
        {
          nodes: [
            node("list", "input/json_value"),
            node("path", "utility/json_path", { path: "$" }),
            node("each", "enumerate/json"),
            node("all", "output/json"),
          ],
          connections: [
            link("list.json", "path.json"),
            link("path.value", "each.json"),
            link("each.item", "all.json"),
          ],
        },
        { list: { value: "[1,2,3]" } },
        { admission_limits: { max_iterations_per_node: 2 } },
      ),
    );
    expect(whole).toMatchObject({
      error_code: "ITERATION_LIMIT_EXCEEDED",
      error_node_id: "each",
      error_indices: null,
    });
    const once = await ended(
      await submit(
        {
          nodes: [
            node("n", "input/number"),
            node("divide", "utility/calculate", { expression: "1 / n" }),
            node("out", "output/json"),
          ],
          connections: [link("n.number", "divide.n"), link("divide.result", "out.json")],
        },
        { n: { value: "0" } },
      ),
    );
    expect(once).toMatchObject({ error_node_id: "divide", error_indices: [] });
  });

  it("names the parent at which an enumerator failed", async () => {
    const run = await ended(
      await submit(
        {
          nodes: [
            node("lists", "input/json"),
            node("each", "enumerate/json"),
            node("all", "output/json"),
          ],
          connections: [link("lists.item", "each.json"), link("each.item", "all.json")],
        },
        { lists: { value: "[[1],2,[3]]" } },
      ),
    );
    expect(run).toMatchObject({
      error_code: "ENUMERATE_NOT_A_LIST",
      error_node_id: "each",
      error_indices: [1],
    });
  });
});

describe("items without a value", () => {
  const CAUSE = { code: "CALC_DIVISION_BY_ZERO", node_id: "divide" };

  it("carry the first failure upstream, in the result, in the outputs and in the execution", async () => {
    const runId = await submit(QUOTIENTS);
    const run = await ended(runId);
    const { items } = (await get(`${runId}/result`)).json.result.by_key.all;
    for (const item of items) {
      if (item.input_indices[1] === 0) {
        expect(item).toMatchObject({ delivery: "unavailable", error: CAUSE });
        expect(item.error.message).toContain("zero");
      } else {
        expect(item.delivery).toBe("inline");
        expect(item).not.toHaveProperty("error");
      }
    }
    expect(items).toHaveLength(6);
    for (const entries of [(await get(`${runId}/outputs`)).json.data, run.outputs]) {
      expect(entries.map((entry: { presence: string }) => entry.presence)).toEqual(
        Array.from({ length: 3 }, () => ["missing", "present"]).flat(),
      );
      expect(entries[0].error).toMatchObject(CAUSE);
      expect(entries[1]).not.toHaveProperty("error");
    }
    // Read again from an object that has lost its memory.
    await abortAllDurableObjects();
    const again = (await get(`${runId}/result`)).json.result.by_key.all.items;
    expect(again.map((item: { error?: unknown }) => item.error)).toEqual(
      items.map((item: { error?: unknown }) => item.error),
    );
  });

  it("look behind aggregates, enumerators and nodes that ended as a whole", async () => {
    const runId = await submit(
      {
        nodes: [
          node("lists", "input/json"),
          node("zero", "utility/calculate", { expression: "1 / (count(l) - count(l))" }),
          node("gather", "aggregate/json", {
            jsonAggregateConfig: { columns: [{ inputPort: "z" }] },
          }),
          node("again", "enumerate/json"),
          node("gathered", "output/json"),
          node("elements", "output/json"),
        ],
        connections: [
          link("lists.item", "zero.l"),
          link("zero.result", "gather.z"),
          link("gather.json", "gathered.json"),
          link("gather.json", "again.json"),
          link("again.item", "elements.json"),
        ],
      },
      { lists: { value: "[[1],[2]]" } },
    );
    await ended(runId);
    const { by_key: groups } = (await get(`${runId}/result`)).json.result;
    for (const key of ["gathered", "elements"]) {
      expect(groups[key].items).toHaveLength(1);
      expect(groups[key].items[0]).toMatchObject({
        delivery: "unavailable",
        error: { code: "CALC_DIVISION_BY_ZERO", node_id: "zero" },
      });
    }

    const tooMany = await submit(
      {
        nodes: [
          node("list", "input/json_value"),
          node("path", "utility/json_path", { path: "$" }),
          node("each", "enumerate/json"),
          node("double", "utility/calculate", { expression: "n * 2" }),
          node("all", "output/json"),
        ],
        connections: [
          link("list.json", "path.json"),
          link("path.value", "each.json"),
          link("each.item", "double.n"),
          link("double.result", "all.json"),
        ],
      },
      { list: { value: "[1,2,3]" } },
      { admission_limits: { max_iterations_per_node: 2 } },
    );
    await ended(tooMany);
    const [item] = (await get(`${tooMany}/result`)).json.result.by_key.all.items;
    expect(item.error).toMatchObject({ code: "ITERATION_LIMIT_EXCEEDED", node_id: "each" });
  });

  it("report, of several failures upstream, the one of the first node in topological order", async () => {
    const runId = await submit(
      {
        nodes: [
          node("n", "input/number"),
          node("late", "utility/calculate", { expression: "1 / (m - m)" }),
          node("first", "utility/calculate", { expression: "1 / n" }),
          node("m", "utility/calculate", { expression: "n + 1" }),
          node("both", "utility/calculate", { expression: "a + b" }),
          node("out", "output/json"),
        ],
        connections: [
          link("n.number", "first.n"),
          link("n.number", "m.n"),
          link("m.result", "late.m"),
          link("late.result", "both.a"),
          link("first.result", "both.b"),
          link("both.result", "out.json"),
        ],
      },
      { n: { value: "0" } },
    );
    const run = await ended(runId);
    const [item] = (await get(`${runId}/result`)).json.result.by_key.out.items;
    expect(item.error).toMatchObject({ node_id: "first" });
    expect(run.error_node_id).toBe("first");
  });

  it("report that the run was cancelled, if it was", async () => {
    const runId = await submit(CODED_DEFINITION, textsInput(["a"]));
    await new TaskRunner(runId).claim();
    const path = `/api/v1/executions/${runId}/cancel`;
    expect((await call("POST", path, { token: caller.token })).status).toBe(200);
    const stub = env.RUN.get(env.RUN.idFromName(runId));
    await waitUntil("the run to be cancelled", async () => {
      await changeTasks(stub, (task) => {
        task.dueMs = 0;
      });
      await runDurableObjectAlarm(stub);
      return (await get(runId)).json.status === "cancelled";
    });
    const { picture } = (await get(`${runId}/result`)).json.result.by_key;
    expect(picture.items[0]).toMatchObject({
      delivery: "unavailable",
      error: { code: "CANCELLED", node_id: null },
    });
  });
});

describe("iterations by state", () => {
  const pageOf = async (runId: string, query: string) => {
    const response = await get(`${runId}/trace/nodes/divide/iterations?${query}`);
    expect(response.status).toBe(200);
    return TraceIterationPage.parse(response.json);
  };

  it("are those in one of the requested states, paged, with their number", async () => {
    const runId = await submit(QUOTIENTS);
    await ended(runId);
    const failed = await pageOf(runId, "state=failed");
    expect(failed.data.map((each) => [...each.input_indices, each.error?.code])).toEqual(
      [0, 1, 2].map((row) => [row, 0, "CALC_DIVISION_BY_ZERO"]),
    );
    expect(failed).toMatchObject({ total_count: 3, has_more: false, next_cursor: null });
    const both = await pageOf(runId, "state=failed&state=ok");
    expect(both.data).toHaveLength(6);
    expect(both.total_count).toBe(6);
    expect((await pageOf(runId, "state=pending&state=blocked")).data).toEqual([]);

    const seen: unknown[] = [];
    for (let after: string | null = ""; after !== null;) {
      const page = await pageOf(
        runId,
        `state=failed&page_size=2${after === "" ? "" : `&after=${after}`}`,
      );
      expect(page.total_count).toBe(3);
      expect(page.has_more).toBe(page.next_cursor !== null);
      seen.push(...page.data);
      after = page.next_cursor;
    }
    expect(seen).toEqual(failed.data);

    const blocked = await get(`${runId}/trace/nodes/more/iterations?state=blocked`);
    expect(blocked.json.total_count).toBe(3);
    expect(blocked.json.data[0]).toMatchObject({ state: "blocked", error: null });
  });

  it("counts running iterations separately from waiting ones", async () => {
    const runId = await submit(CODED_DEFINITION, textsInput(["a", "b"]));
    const runner = new TaskRunner(runId);
    const [first] = await runner.claim();
    await runner.report(first!, failedOutcome("CODE_TOO_SMALL", "no"));
    const path = `${runId}/trace/nodes/draw/iterations`;
    const state = async (word: string) => (await get(`${path}?state=${word}`)).json.total_count;
    expect(await waitUntil("the report to be taken in", async () => (await state("failed")) === 1));
    expect([await state("running"), await state("pending"), await state("ok")]).toEqual([1, 0, 0]);
  });

  it("rejects an unknown state, listing the known ones", async () => {
    const runId = await submit(QUOTIENTS);
    for (const query of ["state=skipped", "state=ok&state=x", "state="]) {
      const response = await get(`${runId}/trace/nodes/divide/iterations?${query}`);
      expect([response.status, response.json.code]).toEqual([400, "validation_error"]);
      expect(response.json.errors).toEqual([
        {
          field: "state",
          message: "Must be one of: ok, failed, blocked, absent, running, pending.",
        },
      ]);
    }
  });
});

describe("a lost worker", () => {
  it("counts in retry_count and attempt_count of the node and of the iteration", async () => {
    const runId = await submit(CODED_DEFINITION, textsInput(["a"]));
    const runner = new TaskRunner(runId);
    await runner.claim();
    const stub = env.RUN.get(env.RUN.idFromName(runId));
    const lose = async (change: (task: TaskEntry) => void) => {
      await changeTasks(stub, change);
      await runDurableObjectAlarm(stub);
    };
    const endLease = (task: TaskEntry) => {
      task.dueMs = 0;
    };
    // One worker dies with its boot, another is silent until its lease ends.
    await lose((task) => {
      task.boot = "an earlier boot";
    });
    await runner.claim();
    await lose(endLease);
    await lose(endLease);
    const [task] = await runner.claim();
    await runner.report(task!, failedOutcome("CODE_TOO_SMALL", "no"));
    await ended(runId);
    const trace = (await get(`${runId}/trace`)).json;
    expect(trace.nodes[1]).toMatchObject({ retry_count: 2, attempt_count: 3 });
    const [iteration] = (await get(`${runId}/trace/nodes/draw/iterations`)).json.data;
    expect(iteration).toMatchObject({ retry_count: 2, attempt_count: 3 });
  });
});

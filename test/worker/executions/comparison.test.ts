/** Comparisons of two runs (docs/contract/executions.md#comparison). */
import { createHash } from "node:crypto";
import { env } from "cloudflare:workers";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { RunObject } from "../../../durable-objects/run/run-object.ts";
import { RunStore } from "../../../durable-objects/run/state/run-store.ts";
import type { RunObjectApi } from "../../../src/contracts/runs/run-object-api.ts";
import { call, type Caller, newCaller, operator, type Reply } from "../../support/api-caller.ts";
import { CODES } from "../../support/paid-definitions.ts";
import { ECHO_DEFINITION, publishedWorkflow } from "../../support/published-workflow.ts";
import { waitUntil } from "../../support/wait-until.ts";
import { CODED_DEFINITION, textsInput } from "./coded-workflow.ts";
import { image, RetryCaller } from "./retry-caller.ts";
import { failedOutcome, okOutcome, TaskRunner } from "./task-runner.ts";

let caller: Caller;
beforeAll(async () => {
  caller = await newCaller();
});

afterEach(() => {
  vi.restoreAllMocks();
});

const get = (path: string, token = caller.token): Promise<Reply> =>
  call("GET", `/api/v1/executions/${path}`, { token });

async function submit(workflow: string, inputs: unknown): Promise<string> {
  const json = { workflow, inputs };
  const response = await call("POST", "/api/v1/executions", { token: caller.token, json });
  expect([response.status, response.text]).toEqual([202, response.text]);
  return response.json.id;
}

async function ended(workflow: string, inputs: unknown): Promise<string> {
  const run = await submit(workflow, inputs);
  await waitUntil(`the end of ${run}`, async () => (await get(run)).json.completed_at !== null);
  return run;
}

async function diff(a: string, b: string, query = "") {
  const response = await get(`${a}/diff/${b}${query}`);
  expect([response.status, response.text]).toEqual([200, response.text]);
  return response.json;
}

const text = (value: string) => ({ in: { value: JSON.stringify(value) } });
const json = (value: unknown) => ({ in: { value: JSON.stringify(value) } });
const sha256 = (bytes: string) => createHash("sha256").update(bytes).digest("hex");

/** A list fans out to texts; the whole list is an output too. */
const LIST = {
  nodes: [
    { id: "in", type: "input/json", label: "In", parameters: {} },
    { id: "each", type: "output/json", label: "Each", parameters: {} },
  ],
  connections: [{ from: { node: "in", port: "item" }, to: { node: "each", port: "json" } }],
};

/** Draws all codes of a run, but for those at `failing`; their files have digests, as those of the runner do. */
async function draw(run: string, count: number, failing: readonly number[] = []): Promise<void> {
  const runner = new TaskRunner(run);
  for (let drawn = 0; drawn < count;) {
    for (const task of await runner.claim()) {
      const [index = -1] = task.indices;
      const name = `${task.file_prefix}code-${String(index)}.png`;
      drawn++;
      await env.FILES.put(name, "png");
      const file = image(`code-${String(index)}.png`).with({ sha256: sha256("png") });
      await runner.report(
        task,
        failing.includes(index)
          ? failedOutcome("INVALID_INPUT", "no")
          : okOutcome({ image: file, check: { row: index } }),
      );
    }
  }
}

describe("a comparison", () => {
  it("of a run with itself, and with an equal one, is identical", async () => {
    const workflow = await publishedWorkflow(caller, LIST);
    const a = await ended(workflow, json([{ x: 1, y: [1, 2] }, "t"]));
    const b = await ended(workflow, { in: { value: '[{"y":[1.0,2e0],"x":1.00},"t"]' } });
    for (const [one, other] of [
      [a, a],
      [a, b],
      [b, a],
    ] as const) {
      const found = await diff(one, other);
      expect(found).toMatchObject({
        a: { id: one, workflow, workflow_version: 1, status: "completed" },
        b: { id: other },
        is_identical: true,
        relation: "same_version",
        inputs: [],
        definition: { is_same: true, nodes: [], connections: { added: [], removed: [] } },
        outputs: [{ same: 2, changed: 0, added: 0, removed: 0, state_changed: 0 }],
        totals: { items_compared: 2, same: 2, credits_delta: 0 },
        items: { data: [], has_more: false, next_cursor: null, total_count: 0 },
      });
      expect(found.nodes.map(({ change }: { change: string }) => change)).toEqual(["same", "same"]);
    }
  });

  it("names the items that differ, with a patch or a difference of lines", async () => {
    const workflow = await publishedWorkflow(caller, LIST);
    const a = await ended(workflow, json([{ x: 1 }, 2, 3, "gone"]));
    const b = await ended(workflow, json([{ x: 1, y: [true] }, 2, "3"]));
    const found = await diff(a, b);
    expect(found.is_identical).toBe(false);
    expect(found.totals).toMatchObject({
      items_compared: 4,
      same: 1,
      changed: 2,
      removed: 1,
      added: 0,
      state_changed: 0,
    });
    const [first, second, third] = found.items.data;
    expect(first).toEqual({
      key: "each",
      input_indices: [0],
      change: "changed",
      type: "json",
      a: {
        presence: "present",
        sha256: sha256('{"x":1}'),
        size_bytes: 7,
        content_type: "application/json",
      },
      b: {
        presence: "present",
        sha256: sha256('{"x":1,"y":[true]}'),
        size_bytes: 18,
        content_type: "application/json",
      },
      patch: [{ op: "add", path: "/y", value: [true] }],
    });
    expect(second).toMatchObject({
      input_indices: [2],
      patch: [{ op: "replace", path: "", value: "3" }],
    });
    expect(third).toMatchObject({ input_indices: [3], change: "removed", b: null });
    expect(found.inputs).toMatchObject([
      {
        key: "in",
        change: "changed",
        patch: [
          { op: "add", path: "/0/y", value: [true] },
          { op: "replace", path: "/2", value: "3" },
          { op: "remove", path: "/3" },
        ],
      },
    ]);
    const pages: unknown[] = [];
    for (let cursor = ""; ;) {
      const { items } = await diff(a, b, `?limit=1${cursor}`);
      pages.push(...items.data);
      expect(items.total_count).toBe(3);
      if (!items.has_more) {
        expect(items.next_cursor).toBeNull();
        break;
      }
      cursor = `&starting_after=${items.next_cursor}`;
    }
    expect(pages).toEqual(found.items.data);
    expect((await diff(a, b, "?change=removed")).items).toMatchObject({
      data: [third],
      total_count: 1,
    });
    expect((await diff(a, b, "?key=other")).items).toMatchObject({ data: [], total_count: 0 });
    const back = await diff(b, a);
    expect(back.items.data[2]).toMatchObject({ change: "added", a: null });
  });

  it("of texts has their lines", async () => {
    const workflow = await publishedWorkflow(caller);
    const a = await ended(workflow, text("one\ntwo\nthree\n"));
    const b = await ended(workflow, text("one\n2\nthree\n"));
    const [item] = (await diff(a, b)).items.data;
    expect(item).toMatchObject({
      type: "text",
      a: { sha256: sha256("one\ntwo\nthree\n"), size_bytes: 14 },
      text: {
        lines_added: 1,
        lines_removed: 1,
        lines_same: 2,
        unified: "--- a\n+++ b\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n",
      },
    });
    expect(item).not.toHaveProperty("patch");
  });

  it("of values over 64 KiB goes by their digests, whatever their notation", async () => {
    const workflow = await publishedWorkflow(caller, LIST);
    const long = "x".repeat(70_000);
    const a = await ended(workflow, { in: { value: `[{"a":1.0,"b":"${long}"},1]` } });
    const b = await ended(workflow, { in: { value: `[{"b":"${long}","a":1},2]` } });
    const found = await diff(a, b);
    expect(found.items.data).toMatchObject([{ input_indices: [1], change: "changed" }]);
    const c = await ended(workflow, { in: { value: `[{"b":"${long}","a":2},2]` } });
    expect((await diff(b, c)).items.data).toMatchObject([
      {
        input_indices: [0],
        patch: [{ op: "replace", path: "/a", value: 2 }],
        a: { size_bytes: 70_014 },
      },
    ]);
  });

  it("of files, failures and absent values has states and digests", async () => {
    const workflow = await publishedWorkflow(caller, CODED_DEFINITION);
    const { FileRef } = await import("../../../src/lib/files/file-ref.ts");
    const image = (byte: string) =>
      new FileRef({
        key: `k${byte}`,
        name: "x.png",
        contentType: "image/png",
        sizeBytes: 1,
        sha256: sha256(byte),
      });
    const run = async (outcomes: (string | null)[]) => {
      const id = await submit(workflow, textsInput(["a", "b", "c"]));
      const runner = new TaskRunner(id);
      const tasks = await runner.claim();
      for (const [at, outcome] of outcomes.entries()) {
        await runner.report(
          tasks[at]!,
          outcome === null
            ? failedOutcome("CODE_TOO_SMALL", "no")
            : okOutcome({ image: image(outcome) }),
        );
      }
      await waitUntil(`the end of ${id}`, async () => (await get(id)).json.completed_at !== null);
      return id;
    };
    const a = await run(["1", "2", null]);
    const b = await run(["1", "3", "4"]);
    const found = await diff(a, b);
    expect(found.items.data).toEqual([
      {
        key: "picture",
        input_indices: [1],
        change: "changed",
        type: "image",
        a: { presence: "present", sha256: sha256("2"), size_bytes: 1, content_type: "image/png" },
        b: { presence: "present", sha256: sha256("3"), size_bytes: 1, content_type: "image/png" },
      },
      {
        key: "picture",
        input_indices: [2],
        change: "state",
        type: "image",
        a: { presence: "missing", sha256: null, size_bytes: null, content_type: null },
        b: { presence: "present", sha256: sha256("4"), size_bytes: 1, content_type: "image/png" },
      },
    ]);
    expect(found.nodes).toMatchObject([
      { node_id: "texts", change: "same" },
      { node_id: "draw", change: "changed", a: { state: "partial_success" } },
      { node_id: "picture", change: "changed" },
      { node_id: "echo", change: "same" },
    ]);
    expect(found.is_identical).toBe(false);
  });

  it("of two versions names the nodes and connections that differ", async () => {
    const nodes = [
      { id: "in", type: "input/text", label: "Words", parameters: {} },
      { id: "t", type: "text/template", parameters: { template: "a {{text}}" } },
      { id: "out", type: "output/text", label: "Said", parameters: {} },
    ];
    const first = { ...ECHO_DEFINITION };
    const second = {
      nodes,
      connections: [{ from: { node: "t", port: "text" }, to: { node: "out", port: "text" } }],
    };
    const a = await ended(await publishedWorkflow(caller, first), text("x"));
    const b = await ended(await publishedWorkflow(caller, second), text("x"));
    const found = await diff(a, b);
    expect(found.relation).toBe("unrelated");
    expect(found.definition).toEqual({
      is_same: false,
      nodes: [
        {
          node_id: "in",
          change: "changed",
          patch: [{ op: "remove", path: "/parameters/required" }],
        },
        { node_id: "t", change: "added" },
      ],
      connections: {
        added: [{ from: { node: "t", port: "text" }, to: { node: "out", port: "text" } }],
        removed: [{ from: { node: "in", port: "text" }, to: { node: "out", port: "text" } }],
      },
    });
    expect(
      found.nodes.map((node: { node_id: string; change: string }) => [node.node_id, node.change]),
    ).toEqual([
      ["in", "changed"],
      ["t", "added"],
      ["out", "changed"],
    ]);
  });

  it("of runs through an interface has its keys, and the parameters that it sets", async () => {
    const entry = {
      id: "int_short",
      name: "Short",
      fields: [
        { key: "who", type: "text", required: true, bind: { node: "in" } },
        {
          key: "form",
          type: "text",
          required: false,
          bind: { node: "say", parameter: "template" },
        },
      ],
      outputs: [{ key: "greeting", node: "out" }],
    };
    const workflow = await publishedWorkflow(caller, {
      nodes: [
        { id: "in", type: "input/text", label: "Words", parameters: { required: true } },
        {
          id: "say",
          type: "text/template",
          parameters: { template: "Hello", placeholders: [{ inputPort: "name" }] },
        },
        { id: "out", type: "output/text", label: "Said", parameters: {} },
      ],
      connections: [
        { from: { node: "in", port: "text" }, to: { node: "say", port: "name" } },
        { from: { node: "say", port: "text" }, to: { node: "out", port: "text" } },
      ],
      interfaces: [entry],
    });
    const greeted = async (who: string, form?: string) => {
      const inputs = {
        who: { value: JSON.stringify(who) },
        ...(form !== undefined && { form: { value: JSON.stringify(form) } }),
      };
      const json = { workflow, interface: "int_short", inputs };
      const {
        status,
        text,
        json: made,
      } = await call("POST", "/api/v1/executions", {
        token: caller.token,
        json,
      });
      expect(status, text).toBe(202);
      await waitUntil("its end", async () => (await get(made.id)).json.completed_at !== null);
      return made.id as string;
    };
    const changes = ({ nodes }: { nodes: { node_id: string; change: string }[] }) =>
      Object.fromEntries(nodes.map(({ node_id, change }) => [node_id, change]));
    const plain = await greeted("Ada");
    const asked = await diff(plain, await greeted("Bob"));
    expect(asked.inputs).toMatchObject([{ key: "who", change: "changed", type: "text" }]);
    // The same result, by another template.
    const formed = await diff(plain, await greeted("Ada", "Hello "));
    expect(formed.inputs).toMatchObject([
      {
        key: "form",
        change: "added",
        type: "text",
        a: null,
        b: { sha256: sha256("Hello "), size_bytes: 6 },
      },
    ]);
    expect(formed.definition.is_same).toBe(true);
    expect([changes(formed)["in"], changes(formed)["say"]]).toEqual(["same", "changed"]);
    const [one, other] = [await greeted("Ada", "A [name]"), await greeted("Ada", "B [name]")];
    const both = await diff(one, other);
    expect(both.inputs).toMatchObject([
      { key: "form", text: { lines_added: 1, lines_removed: 1 } },
    ]);
    expect(both.is_identical).toBe(false);
    // What an interface sets to the value of the definition changes nothing that a node does.
    const same = await diff(plain, await greeted("Ada", "Hello"));
    expect([changes(same)["say"], same.inputs.length, same.is_identical]).toEqual([
      "same",
      1,
      false,
    ]);
  });

  it("is refused for runs that have not ended, have expired or are not the caller's", async () => {
    const workflow = await publishedWorkflow(caller, CODED_DEFINITION);
    const live = await submit(workflow, textsInput(["a"]));
    const echo = await publishedWorkflow(caller);
    const done = await ended(echo, text("x"));
    for (const pair of [`${live}/diff/${done}`, `${done}/diff/${live}`]) {
      const response = await get(pair);
      expect([response.status, response.json.code]).toEqual([422, "not_completed"]);
    }
    const expired = await ended(echo, text("x"));
    const api = env.RUN.get(env.RUN.idFromName(expired)) as unknown as RunObjectApi;
    await waitUntil(`the outputs of ${expired} to expire`, async () => {
      const now = await api.expireOutputs({ v: 1, workspace_id: caller.workspaceId });
      return now.ok && now.value.state === "removed";
    });
    const gone = await get(`${done}/diff/${expired}`);
    expect([gone.status, gone.json.code]).toEqual([410, "outputs_expired"]);
    const unknown = await get(`${done}/diff/run_${"0".repeat(32)}`);
    expect([unknown.status, unknown.json.code]).toEqual([404, "not_found"]);
    const malformed = await get(`${done}/diff/x`);
    expect([malformed.status, malformed.json.code]).toEqual([400, "invalid_id"]);
    const other = await newCaller();
    const foreign = await get(`${done}/diff/${done}`, other.token);
    expect([foreign.status, foreign.json.code]).toEqual([403, "forbidden"]);
    for (const [query, code] of [
      ["?starting_after=x", "invalid_request"],
      ["?change=same", "validation_error"],
      ["?limit=0", "validation_error"],
    ]) {
      const response = await get(`${done}/diff/${done}${query}`);
      expect([query, response.status, response.json.code]).toEqual([query, 400, code]);
    }
  });

  it("with a run that was refused at admission has its definition", async () => {
    await operator("PUT", "/admin/v1/plans/poor", {
      limits: { max_credits_per_month: 0, requests_per_minute: 100_000 },
    });
    const poor = await newCaller();
    await operator("PUT", `/admin/v1/workspaces/${poor.workspaceId}/plan`, { plan: "poor" });
    const { token } = poor;
    const refused = await call("POST", "/api/v1/executions", {
      token,
      json: {
        workflow: await publishedWorkflow(poor, CODES),
        inputs: { rows: { value: '["a"]' } },
      },
      headers: { "idempotency-key": "compared-and-poor" },
    });
    const run = refused.json.execution_id as string;
    const found = await get(`${run}/diff/${run}`, token);
    expect(found.json).toMatchObject({
      is_identical: true,
      definition: { is_same: true },
      totals: { items_compared: 0 },
    });
    expect(found.json.nodes).toHaveLength(3);
  });

  describe("of 10,000 items", () => {
    const ITEMS = 10_000;
    let workflow: string;
    let a: string;
    beforeAll(async () => {
      workflow = await publishedWorkflow(caller, LIST);
      a = await ended(workflow, json(Array.from({ length: ITEMS }, (_, at) => at)));
    });

    /** Counts calls of the two runs, and the cells that they read. */
    function counted() {
      const calls = {
        comparable: vi.spyOn(RunObject.prototype, "comparable"),
        elements: vi.spyOn(RunObject.prototype, "comparableElements"),
        values: vi.spyOn(RunObject.prototype, "comparableValues"),
        single: vi.spyOn(RunStore.prototype, "cellsAt"),
      };
      const cells = vi.spyOn(RunStore.prototype, "fileCellsBetween");
      return {
        calls: () =>
          Object.fromEntries(
            Object.entries(calls).map(([name, spy]) => [name, spy.mock.calls.length]),
          ),
        cells: () => {
          const read = cells.mock.calls.reduce((sum, [, from, to]) => sum + to - from, 0);
          cells.mockClear();
          return read;
        },
      };
    }

    it("takes few calls, and reads the values of one page", async () => {
      const values = Array.from({ length: ITEMS }, (_, at) => (at % 100 === 99 ? -1 : at));
      const b = await ended(workflow, json(values));
      const work = counted();
      const found = await diff(a, b, "?limit=20");
      expect(found.totals).toMatchObject({ items_compared: ITEMS, same: 9_900, changed: 100 });
      expect(found.items).toMatchObject({ has_more: true, total_count: 100 });
      expect(found.items.data).toHaveLength(20);
      // Of each run: itself, its items in pages of 5,000, and the page's values and the input's.
      expect(work.calls()).toMatchObject({ comparable: 2, elements: 4, values: 6, single: 42 });
      // Each cell of the nodes for their contents, and those of the output again.
      expect(work.cells()).toBeLessThanOrEqual(2 * (2 * ITEMS + ITEMS + 32));
      const next = await diff(a, b, `?limit=20&starting_after=${found.items.next_cursor}`);
      expect(next.items.data[0].input_indices).toEqual([2_099]);
      expect(work.cells()).toBeLessThanOrEqual(2 * (ITEMS + 32));
    });

    it("of which both runs share nothing takes no more calls, and shows one page", async () => {
      const values = Array.from({ length: ITEMS }, (_, at) => `text ${String(at)}`);
      const [each, other] = LIST.nodes;
      const renamed = { ...LIST, nodes: [each, { ...other, label: "Other" }] };
      const sides = {
        changed: await ended(workflow, json(values)),
        unrelated: await ended(await publishedWorkflow(caller, renamed), json(values)),
      };
      const work = counted();
      for (const [side, b] of Object.entries(sides)) {
        const isChanged = side === "changed";
        const before = work.calls();
        const found = await diff(a, b, "?limit=20");
        const after = work.calls();
        const total = isChanged ? ITEMS : 2 * ITEMS;
        expect({ side, ...found.totals }).toMatchObject({
          side,
          items_compared: total,
          same: 0,
          changed: isChanged ? ITEMS : 0,
          added: isChanged ? 0 : ITEMS,
          removed: isChanged ? 0 : ITEMS,
        });
        expect(found).toMatchObject({
          is_identical: false,
          relation: isChanged ? "same_version" : "unrelated",
          items: { has_more: true, total_count: total },
        });
        expect(found.items.data).toHaveLength(20);
        expect(JSON.stringify(found).length).toBeLessThan(20_000);
        const made = Object.entries(after).map(([name, n]) => [name, n - (before[name] ?? 0)]);
        const most = { comparable: 2, elements: 4, values: 6, single: 42 };
        expect(made.filter(([name, n]) => Number(n) > most[name as keyof typeof most])).toEqual([]);
        expect(work.cells()).toBeLessThanOrEqual(2 * (2 * ITEMS + ITEMS + 32));
      }
    });
  });

  it("reads from R2 only what its page shows", async () => {
    const workflow = await publishedWorkflow(caller, LIST);
    const long = (mark: number) => `${"x".repeat(70_000)}${String(mark)}`;
    const a = await ended(workflow, json([long(1), long(2), long(3), long(4)]));
    const b = await ended(workflow, json([long(1), long(5), long(6), long(7)]));
    const got = vi.spyOn(env.FILES, "get");
    const found = await diff(a, b, "?limit=1");
    expect(found.items).toMatchObject({ total_count: 3, has_more: true });
    expect(found.items.data).toMatchObject([{ input_indices: [1], patch: null }]);
    // Both values of the item, and both inputs.
    expect(got).toHaveBeenCalledTimes(4);
    got.mockClear();
    await diff(a, a);
    expect(got).not.toHaveBeenCalled();
  });

  it("of a run with its retry differs in what failed", async () => {
    const mine = await RetryCaller.make();
    const first = await mine.submit(["a", "b", "c"]);
    await draw(first, 3, [1]);
    await mine.ended(first);
    const { json: made } = await mine.retry(first);
    await draw(made.id, 1);
    await mine.ended(made.id);
    const { json: found } = await mine.get(`${first}/diff/${made.id}`);
    expect(found).toMatchObject({
      relation: "retry",
      inputs: [],
      definition: { is_same: true },
      totals: { items_compared: 3, same: 2, state_changed: 1, credits_delta: -0.02 },
      items: { data: [{ input_indices: [1], change: "state" }], total_count: 1 },
    });
    const { json: whole } = await mine.retry(made.id, { from: "start" });
    await draw(whole.id, 3);
    await mine.ended(whole.id);
    const { json: same } = await mine.get(`${made.id}/diff/${whole.id}`);
    expect(same).toMatchObject({ relation: "retry", is_identical: true });
    // Elements that were taken over do not differ.
    expect(same.nodes.map(({ change }: { change: string }) => change)).toEqual([
      "same",
      "same",
      "same",
    ]);
  });

  it("of two working definitions is not of one version", async () => {
    const mine = await RetryCaller.make();
    const workflow = await publishedWorkflow(mine.caller);
    const run = await mine.submitted({ workflow, inputs: text("x") });
    await mine.ended(run);
    const drafts: string[] = [];
    for (const label of ["Said", "Spoken"]) {
      const [words, out] = ECHO_DEFINITION.nodes;
      await mine.edit(workflow, { ...ECHO_DEFINITION, nodes: [words, { ...out, label }] });
      const { json: made, text: body } = await mine.retry(run, { version: "draft" });
      expect(made, body).toMatchObject({ is_draft: true });
      await mine.ended(made.id);
      drafts.push(made.id);
    }
    const [a, b] = drafts;
    const { json: found } = await mine.get(`${a}/diff/${b}`);
    expect(found).toMatchObject({
      a: { is_draft: true },
      b: { is_draft: true },
      relation: "retry",
    });
    const other = await mine.submitted({ workflow, inputs: text("x") });
    await mine.ended(other);
    const { json: unlike } = await mine.get(`${other}/diff/${b}`);
    expect(unlike).toMatchObject({
      a: { is_draft: false, workflow_version: 1 },
      b: { is_draft: true, workflow_version: 1 },
      relation: "same_workflow",
      definition: { is_same: true },
    });
  });
});

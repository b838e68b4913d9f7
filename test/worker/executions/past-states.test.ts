/** `as_of_event` on an execution, its result and its trace (docs/contract/executions.md#past-states). */
import { abortAllDurableObjects } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import type { RunObjectApi } from "../../../src/contracts/runs/run-object-api.ts";
import type { NodeTrace } from "../../../src/contracts/runs/trace.ts";
import { FileRef } from "../../../src/lib/files/file-ref.ts";
import { call, type Caller, newCaller, operator, type Reply } from "../../support/api-caller.ts";
import { CODES } from "../../support/paid-definitions.ts";
import { publishedWorkflow } from "../../support/published-workflow.ts";
import { waitUntil } from "../../support/wait-until.ts";
import { CODED_DEFINITION, textsInput } from "./coded-workflow.ts";
import { failedOutcome, okOutcome, TaskRunner } from "./task-runner.ts";

let caller: Caller;
beforeAll(async () => {
  caller = await newCaller();
});

const IMMUTABLE = "private, max-age=86400, immutable";
const DOCUMENTS = ["", "/result", "/trace"] as const;

const image = new FileRef({ key: "k", name: "x.png", contentType: "image/png", sizeBytes: 1 });

const get = (path: string, headers: Record<string, string> = {}): Promise<Reply> =>
  call("GET", `/api/v1/executions/${path}`, { token: caller.token, headers });

async function submit(workflow: string, inputs: unknown): Promise<string> {
  const json = { workflow, inputs };
  const response = await call("POST", "/api/v1/executions", { token: caller.token, json });
  expect(response.status).toBe(202);
  return response.json.id;
}

/** The three documents of one moment, once `isReady` holds for the execution. */
async function moment(run: string, isReady: (execution: Reply["json"]) => boolean) {
  return waitUntil(`a moment of ${run}`, async () => {
    const execution = (await get(run)).json;
    const result = (await get(`${run}/result`)).json;
    const trace = (await get(`${run}/trace`)).json;
    const after = (await get(run)).json;
    const isOne = execution.last_event_id === after.last_event_id;
    return isOne && isReady(execution) && { execution, result, trace };
  });
}

type Moment = Awaited<ReturnType<typeof moment>>;

async function pastOf(run: string, event: string) {
  const [execution, result, trace] = await Promise.all(
    DOCUMENTS.map(async (path) => {
      const response = await get(`${run}${path}?as_of_event=${event}`);
      expect([path, response.status]).toEqual([path, 200]);
      const { as_of: asOf, ...document } = response.json;
      expect(asOf).toEqual({ event_id: event, at: expect.any(String) });
      return document;
    }),
  );
  return { execution, result, trace };
}

/** Without the attempts and failures of nodes that were at work, which the log does not have. */
function lasting({ execution, result, trace }: Moment) {
  const { retry_count: _retries, attempt_count: _attempts, ...totals } = trace.totals;
  return {
    execution,
    result,
    trace: {
      ...trace,
      totals,
      nodes: trace.nodes.map((node: NodeTrace) => {
        const { retry_count, attempt_count, models, error, ...counts } = node;
        const isOpen = node.state === "running";
        return { ...counts, ended: isOpen ? null : { retry_count, attempt_count, models, error } };
      }),
    },
  };
}

const isSettled =
  (count: number) =>
  ({ outputs }: Reply["json"]): boolean =>
    outputs.filter(({ type }: { type: string }) => type === "image").length === count;

describe("a past state", () => {
  it("is the document that was read at that moment, whatever the run has done since", async () => {
    const texts = textsInput(["a", "b", "c"]);
    const run = await submit(await publishedWorkflow(caller, CODED_DEFINITION), texts);
    const runner = new TaskRunner(run);
    const [first, second, third] = await runner.claim();
    const moments = [await moment(run, ({ status }) => status === "running")];
    await runner.report(first!, okOutcome({ image }));
    moments.push(await moment(run, isSettled(1)));
    await runner.report(third!, failedOutcome("CODE_TOO_SMALL", "no"));
    moments.push(await moment(run, isSettled(2)));
    const live = await get(`${run}?as_of_event=0-0`);
    expect(live.headers.get("cache-control")).toBe("private, no-cache");
    await runner.report(second!, okOutcome({ image }));
    moments.push(await moment(run, ({ completed_at }) => completed_at !== null));
    await abortAllDurableObjects();
    expect(moments.map(({ execution }) => execution.status)).toEqual([
      "running",
      "running",
      "running",
      "partial_success",
    ]);
    for (const each of moments) {
      const past = await pastOf(run, each.execution.last_event_id);
      expect(lasting(past)).toEqual(lasting(each));
    }
    // At the last event, nothing differs at all.
    const last = moments.at(-1)!;
    // Each code costs 20 milli-credits once it is drawn; before that the document has no charge.
    expect(moments.map(({ execution }) => execution.credits_used)).toEqual([
      undefined,
      0.02,
      0.02,
      0.04,
    ]);
    expect(await pastOf(run, last.execution.last_event_id)).toEqual(last);
    // Every event of a commit shows the whole commit.
    const [seq] = last.execution.last_event_id.split("-");
    expect((await pastOf(run, `${seq}-0`)).execution).toEqual(last.execution);
  });

  it("at the start is a pending run without outputs, costs or times", async () => {
    const run = await submit(await publishedWorkflow(caller), { in: { value: '"x"' } });
    const today = (await moment(run, ({ completed_at }) => completed_at !== null)).execution;
    const { execution, result, trace } = await pastOf(run, "0-0");
    expect(execution).toEqual({
      ...today,
      status: "pending",
      progress: 0,
      progress_message: "Queued",
      started_at: null,
      completed_at: null,
      outputs: [],
      outputs_total: 0,
      last_event_id: "0-0",
      credits_used: undefined,
    });
    expect(result).toMatchObject({ status: "pending", is_terminal: false });
    expect(Object.values(result.result.by_key)).toMatchObject([{ state: "not_ready", items: [] }]);
    expect(trace).toMatchObject({ status: "pending", started_at: null, completed_at: null });
    expect(trace.nodes.map((node: NodeTrace) => node.state)).toEqual(["pending", "pending"]);
  });

  it("of an ended run may be kept for a day, and is confirmed by its tag", async () => {
    const run = await submit(await publishedWorkflow(caller), { in: { value: '"x"' } });
    const { execution } = await moment(run, ({ completed_at }) => completed_at !== null);
    for (const path of DOCUMENTS) {
      const query = `${run}${path}?as_of_event=${execution.last_event_id}`;
      const response = await get(query);
      expect([path, response.headers.get("cache-control")]).toEqual([path, IMMUTABLE]);
      expect((await get(query)).text).toBe(response.text);
      const tag = response.headers.get("etag")!;
      expect((await get(query, { "if-none-match": tag })).status).toBe(304);
      const other = `${run}${path}?as_of_event=0-0`;
      expect((await get(other, { "if-none-match": tag })).status).toBe(200);
    }
  });

  it("is not kept where it has addresses of private files, which are valid for an hour", async () => {
    const run = await submit(await publishedWorkflow(caller), { in: { value: '"x"' } });
    const { execution } = await moment(run, ({ completed_at }) => completed_at !== null);
    for (const [path, expected] of [
      ["", "private, no-store"],
      ["/result", "private, no-store"],
      ["/trace", IMMUTABLE],
    ] as const) {
      const at = `/api/v1/executions/${run}${path}?as_of_event=${execution.last_event_id}`;
      const { token } = caller;
      const response = await call("GET", at, { token, env: { FILE_ACCESS: "private" } });
      expect([path, response.headers.get("cache-control")]).toEqual([path, expected]);
    }
  });

  it("shows expired outputs as today, and is not kept", async () => {
    const run = await submit(await publishedWorkflow(caller), { in: { value: '"x"' } });
    await moment(run, ({ completed_at }) => completed_at !== null);
    const api = env.RUN.get(env.RUN.idFromName(run)) as unknown as RunObjectApi;
    await waitUntil(`the outputs of ${run} to expire`, async () => {
      const expired = await api.expireOutputs({ v: 1, workspace_id: caller.workspaceId });
      return expired.ok && expired.value.state === "removed";
    });
    const { execution, result } = await moment(run, () => true);
    const past = await pastOf(run, execution.last_event_id);
    expect(past.execution).toEqual(execution);
    expect(past.result).toEqual(result);
    expect(past.execution.outputs[0]).toMatchObject({ presence: "missing" });
    for (const path of DOCUMENTS) {
      const response = await get(`${run}${path}?as_of_event=${execution.last_event_id}`);
      expect(response.headers.get("cache-control")).toBe("private, no-store");
    }
    const start = await pastOf(run, "0-0");
    expect(start.execution).toMatchObject({ status: "pending", outputs: [] });
    expect(start.execution.outputs_expired_at).toBe(execution.outputs_expired_at);
  });

  it("of a run that was refused at admission is that run", async () => {
    await operator("PUT", "/admin/v1/plans/broke", {
      limits: { max_credits_per_month: 0, requests_per_minute: 100_000 },
    });
    const poor = await newCaller();
    await operator("PUT", `/admin/v1/workspaces/${poor.workspaceId}/plan`, { plan: "broke" });
    const { token } = poor;
    const json = {
      workflow: await publishedWorkflow(poor, CODES),
      inputs: { rows: { value: '["a"]' } },
    };
    const headers = { "idempotency-key": "broke-at-submit" };
    const refused = await call("POST", "/api/v1/executions", { token, json, headers });
    expect(refused.status).toBe(402);
    const run = refused.json.execution_id as string;
    for (const path of DOCUMENTS) {
      const read = (query: string) =>
        call("GET", `/api/v1/executions/${run}${path}${query}`, { token });
      const today = await read("");
      const past = await read("?as_of_event=0-1");
      const { as_of: asOf, ...document } = past.json;
      expect(document).toEqual(today.json);
      expect(asOf.event_id).toBe("0-1");
      expect(past.headers.get("cache-control")).toBe(IMMUTABLE);
      const unknown = await read("?as_of_event=1-0");
      expect([unknown.status, unknown.json.code]).toEqual([400, "validation_error"]);
    }
  });

  it("is refused for ids that the run has not issued, and for other callers", async () => {
    const run = await submit(await publishedWorkflow(caller), { in: { value: '"x"' } });
    const { execution } = await moment(run, ({ completed_at }) => completed_at !== null);
    const [seq, sub] = execution.last_event_id.split("-").map(Number);
    const invalid = ["", "1", "-1-0", "+1-0", "1 -0", "01-0", "1-0x", "9007199254740992-0"];
    const beyond = [`${seq + 1}-0`, `${seq}-${sub + 1}`, "0-1", "999999999-0"];
    for (const event of [...invalid, ...beyond, "x".repeat(10_000)]) {
      for (const path of DOCUMENTS) {
        const response = await get(`${run}${path}?as_of_event=${encodeURIComponent(event)}`);
        expect([event, response.status, response.json.code]).toEqual([
          event,
          400,
          "validation_error",
        ]);
        expect(response.json.errors[0].field).toBe("as_of_event");
      }
    }
    const other = await newCaller();
    for (const path of DOCUMENTS) {
      const foreign = await call("GET", `/api/v1/executions/${run}${path}?as_of_event=0-0`, {
        token: other.token,
      });
      expect([foreign.status, foreign.json.code]).toEqual([403, "forbidden"]);
      const unknown = await get(`run_${"0".repeat(32)}${path}?as_of_event=0-0`);
      expect([unknown.status, unknown.json.code]).toEqual([404, "not_found"]);
    }
  });
});

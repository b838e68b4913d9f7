/** docs/contract/batches.md#exports on real bindings: states, options, files, retention, and what a retry does to them. */
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import type {
  BatchExportsApi,
  ExportRequest,
} from "../../../src/contracts/batches/batch-export.ts";
import { requestExport } from "../../../src/domain/batches/batch-exports.ts";
import { ok } from "../../../src/lib/result.ts";
import { createContext } from "../../../src/platform/create-context.ts";
import { call, newCaller } from "../../support/api-caller.ts";
import { ECHO_DEFINITION, publishedWorkflow } from "../../support/published-workflow.ts";
import { buildExport } from "../../support/build-export.ts";
import { readZip } from "../../support/read-zip.ts";
import { waitUntil } from "../../support/wait-until.ts";
import { work } from "../executions/retry-caller.ts";
import { BATCHES, BatchFixture, byItems, QUOTIENT, wordItems } from "./batch-fixture.ts";
import { COLUMNS, ExportFixture, text } from "./export-fixture.ts";

let batches: ExportFixture;
let quotient: string;
let echo: string;

/** The files of the run's own export. */
async function ownExport(run: string): Promise<Map<string, Uint8Array>> {
  const { token } = batches.caller;
  await call("POST", `/api/v1/executions/${run}/zip`, { token });
  await buildExport(run);
  const status = await call("GET", `/api/v1/executions/${run}/zip/status`, { token });
  expect(status.json).toMatchObject({ status: "completed" });
  const [{ zip_id }] = status.json.zips;
  const to = await call("GET", `/api/v1/executions/${run}/zip/${String(zip_id)}/download`, {
    token,
  });
  const file = await call("GET", new URL(to.headers.get("location") ?? "").pathname);
  return readZip(file.bytes);
}

beforeAll(async () => {
  batches = new ExportFixture(await newCaller());
  quotient = await publishedWorkflow(batches.caller, QUOTIENT);
  echo = await publishedWorkflow(batches.caller);
});

describe("an export", () => {
  test("is refused before the batch has ended, and is not requested then", async () => {
    const id = await batches.create({ workflow: echo, start: false, items: wordItems(1) });
    const refused = await batches.post(`/${id}/exports`, { format: "csv" });
    expect([refused.status, refused.json.code]).toEqual([422, "not_completed"]);
    const { status, json } = await batches.get(`/${id}/exports/csv`);
    expect([status, json]).toEqual([
      200,
      {
        format: "csv",
        status: "not_requested",
        progress_percent: 0,
        row_count: 0,
        size_bytes: 0,
        completed_at: null,
        error_message: null,
        files: [],
      },
    ]);
    const { token } = batches.caller;
    const none = await call("GET", `${BATCHES}/${id}/exports/csv/download`, { token });
    expect([none.status, none.json.code]).toEqual([404, "not_found"]);
  });

  test("has a row for each item, with its inputs if they are asked for", async () => {
    const id = await batches.endedBatch({ workflow: quotient, items: byItems(0, 4, -1) });
    const runs = await batches.runsOf(id);
    const status = await batches.exported(id, { format: "csv" });
    const bytes = await batches.download(id, "csv");
    expect(text(bytes)).toBe(
      [
        `${COLUMNS},output.out`,
        `0,,failed,${String(runs[0])},0,CALC_DIVISION_BY_ZERO,Division by zero (character 3),`,
        `1,,completed,${String(runs[1])},0,,,0.25`,
        `2,,completed,${String(runs[2])},0,,,-1`,
        "",
      ].join("\r\n"),
    );
    expect(status).toMatchObject({ row_count: 3, size_bytes: bytes.byteLength });
    expect(status.files).toEqual([
      {
        part_index: 1,
        total_parts: 1,
        download_file_name: `Test-${id.slice(-8)}.csv`,
        size_bytes: bytes.byteLength,
      },
    ]);
    const again = await batches.post(`/${id}/exports`, { format: "csv", inputs: false });
    expect([again.status, again.json]).toEqual([200, status]);
    const before = await batches.addressOf(id, "csv");
    await batches.exported(id, { format: "csv", inputs: true });
    expect(text(await batches.download(id, "csv"))).toContain(",input.by,output.out\r\n0,");
    expect(text(await batches.download(id, "csv"))).toMatch(/,,,4,0\.25\r\n/);
    // What was built with other options is gone.
    expect((await call("GET", before)).status).toBe(404);
    expect((await batches.get(`/${id}/exports/json`)).json.status).toBe("not_requested");
  });

  test("is begun once for a key, whose repeats return what has become of it", async () => {
    const id = await batches.endedBatch({ workflow: echo, items: wordItems(2) });
    const headers = { "idempotency-key": crypto.randomUUID() };
    const ask = (body: object) => batches.post(`/${id}/exports`, body, headers);
    const first = await Promise.all([ask({ format: "csv" }), ask({ format: "csv" })]);
    expect(first.map(({ status }) => status)).toEqual([202, 202]);
    const marks = first.map(({ headers: sent }) => sent.get("idempotency-replayed"));
    expect(new Set(marks)).toEqual(new Set([null, "true"]));
    const completed = await batches.endedExport(id, "csv");
    expect(completed.status).toBe("completed");
    const other = await ask({ format: "csv", raw: true });
    expect([other.status, other.json.code]).toEqual([409, "idempotency_conflict"]);
    expect((await ask({ format: "json" })).json.code).toBe("idempotency_conflict");
    // Built with other options meanwhile: the repeat does not build it as it was asked for at first.
    const raw = await batches.exported(id, { format: "csv", raw: true });
    const again = await ask({ format: "csv" });
    expect([again.status, again.json]).toEqual([202, raw]);
    expect(again.headers.get("idempotency-replayed")).toBe("true");
  });

  test("that is refused leaves its key free; a key belongs to one batch", async () => {
    const id = await batches.create({ workflow: echo, start: false, items: wordItems(1) });
    const headers = { "idempotency-key": crypto.randomUUID() };
    const ask = (batch: string, body: object = { format: "csv" }) =>
      batches.post(`/${batch}/exports`, body, headers);
    expect((await ask(id)).json.code).toBe("not_completed");
    await batches.post(`/${id}/cancel`);
    for (const mark of [null, "true"]) {
      const asked = await ask(id);
      expect([asked.status, asked.headers.get("idempotency-replayed")]).toEqual([202, mark]);
    }
    const other = await batches.endedBatch({ workflow: echo, items: wordItems(1) });
    const theirs = await ask(other, { format: "json" });
    expect([theirs.status, theirs.headers.get("idempotency-replayed")]).toEqual([202, null]);
    const short = { "idempotency-key": "short" };
    const refused = await batches.post(`/${id}/exports`, { format: "csv" }, short);
    expect([refused.status, refused.json.code]).toEqual([400, "invalid_idempotency_key"]);
  });

  test("in each format has the same values", async () => {
    const items = [{ inputs: { words: { value: '"=1+1"' } }, client_reference: "a,b" }];
    const id = await batches.endedBatch({ workflow: echo, items });
    const [run] = await batches.runsOf(id);
    for (const format of ["csv", "json", "ndjson", "xlsx", "zip"]) {
      await batches.exported(id, { format });
    }
    expect(text(await batches.download(id, "csv"))).toBe(
      `${COLUMNS},output.said\r\n0,"a,b",completed,${String(run)},0,,,'=1+1\r\n`,
    );
    const row = {
      index: 0,
      client_reference: "a,b",
      status: "completed",
      execution: run,
      credits_used: 0,
      error_code: null,
      error_message: null,
      outputs: { said: "=1+1" },
    };
    expect(JSON.parse(text(await batches.download(id, "json")))).toEqual([row]);
    expect(text(await batches.download(id, "ndjson"))).toBe(`${JSON.stringify(row)}\n`);
    const sheet = text(readZip(await batches.download(id, "xlsx")).get("xl/worksheets/sheet1.xml"));
    expect(sheet).toContain('t="inlineStr"><is><t xml:space="preserve">=1+1</t></is></c></row>');
    expect(sheet).not.toContain("<f");
    const files = readZip(await batches.download(id, "zip"));
    expect([...files.keys()]).toEqual(["results.csv", "results.json", "items/00000/said.txt"]);
    expect(text(files.get("items/00000/said.txt"))).toBe("=1+1");
    await batches.exported(id, { format: "csv", raw: true });
    expect(text(await batches.download(id, "csv"))).toContain(",,,=1+1\r\n");
    // Only CSV has a mark before formulas: the option changes no other format.
    const same = await batches.post(`/${id}/exports`, { format: "json", raw: true });
    expect(same.status).toBe(200);
  });

  test("has lists, files at their addresses, and the files themselves as ZIP", async () => {
    const workflow = await publishedWorkflow(batches.caller, {
      nodes: [
        { id: "rows", type: "enumerate/range", parameters: { start: 0, end: 2 } },
        { id: "divide", type: "utility/calculate", parameters: { expression: "6 / a" } },
        { id: "out", type: "output/json", parameters: { key: "parts" } },
        ...ECHO_DEFINITION.nodes
          .map((node) =>
            node.type === "output/text" ? { ...node, parameters: { key: "said" } } : node,
          )
          .map((node) => (node.id === "out" ? { ...node, id: "said" } : node)),
      ],
      connections: [
        { from: { node: "rows", port: "value" }, to: { node: "divide", port: "a" } },
        { from: { node: "divide", port: "result" }, to: { node: "out", port: "json" } },
        { from: { node: "in", port: "text" }, to: { node: "said", port: "text" } },
      ],
    });
    const long = "long ".repeat(20_000);
    const items = ["short", long].map((words) => ({
      inputs: { words: { value: JSON.stringify(words) } },
    }));
    const id = await batches.endedBatch({ workflow, items });
    await batches.exported(id, { format: "json" });
    const rows = JSON.parse(text(await batches.download(id, "json")));
    expect(rows.map(({ outputs }: { outputs: unknown }) => outputs)).toEqual([
      { parts: [null, 6, 3], said: "short" },
      { parts: [null, 6, 3], said: long },
    ]);
    await batches.exported(id, { format: "zip" });
    const files = readZip(await batches.download(id, "zip"));
    expect([...files.keys()].slice(2)).toEqual([
      "items/00000/parts/1.json",
      "items/00000/parts/2.json",
      "items/00000/said.txt",
      "items/00001/parts/1.json",
      "items/00001/parts/2.json",
      "items/00001/said.txt",
    ]);
    expect(text(files.get("items/00001/said.txt"))).toBe(long);
  });

  test("has the outputs of the interface in its order, files at addresses that serve them, and the names of the runs' own exports", async () => {
    const { nodes, connections } = ECHO_DEFINITION;
    const node = (id: string, type: string, key: string) => ({ id, type, parameters: { key } });
    const to = (name: string, port: string, from = name) => ({
      from: { node: from, port },
      to: { node: name, port },
    });
    const workflow = await publishedWorkflow(batches.caller, {
      nodes: [
        nodes[0],
        { id: "code", type: "image/code", parameters: { symbology: "qr", size: 64 } },
        node("again", "output/text", "again"),
        node("hidden", "output/text", "hidden"),
        node("said", "output/text", "said"),
        node("shown", "output/image", "shown"),
      ],
      connections: [
        ...["again", "hidden", "said"].map((name) => to(name, "text", connections[0]?.from.node)),
        to("code", "text", "in"),
        to("shown", "image", "code"),
      ],
      interfaces: [
        {
          id: "int_some",
          name: "Some",
          fields: [{ key: "who", type: "text", required: true, bind: { node: "in" } }],
          outputs: ["shown", "said", "again"].map((key) => ({ key, node: key })),
        },
      ],
    });
    const items = [{ inputs: { who: { value: '"Ada"' } } }];
    const id = await batches.create({ workflow, interface: "int_some", items });
    await batches.until(id, "running", ({ running }) => running === 1);
    const [run = ""] = await batches.runsOf(id);
    await work(run, 1);
    await batches.ended(id);
    await batches.exported(id, { format: "csv", inputs: true });
    const [header] = text(await batches.download(id, "csv")).split("\r\n");
    expect(header).toBe(`${COLUMNS},input.who,output.shown,output.said,output.again`);
    await batches.exported(id, { format: "json" });
    const [{ outputs }] = JSON.parse(text(await batches.download(id, "json")));
    expect(outputs).toEqual({
      shown: { url: expect.any(String), content_type: "image/png", size_bytes: 3 },
      said: "Ada",
      again: "Ada",
    });
    const served = await call("GET", new URL(outputs.shown.url).pathname);
    expect([served.status, text(served.bytes)]).toEqual([200, "png"]);
    await batches.exported(id, { format: "zip" });
    const files = readZip(await batches.download(id, "zip"));
    const own = await ownExport(run);
    const names = [...own.keys()].map((name) => `items/00000/${name}`);
    expect(names).toHaveLength(3);
    expect([...files.keys()].slice(2)).toEqual(names);
    for (const [name, bytes] of own) {
      expect(Buffer.compare(files.get(`items/00000/${name}`)!, bytes), name).toBe(0);
    }
  });

  test("after a retry is not requested, and then has the results of the last attempt", async () => {
    const id = await batches.endedBatch({ workflow: quotient, items: byItems(0, 1) });
    for (const format of ["csv", "json", "ndjson", "xlsx", "zip"]) {
      await batches.exported(id, { format });
    }
    await batches.post(`/${id}/retry`);
    await batches.ended(id);
    for (const format of ["csv", "json", "ndjson", "xlsx", "zip"]) {
      expect((await batches.get(`/${id}/exports/${format}`)).json, format).toMatchObject({
        status: "not_requested",
        files: [],
      });
    }
    await batches.exported(id, { format: "csv" });
    const [second] = await batches.runsOf(id);
    expect(text(await batches.download(id, "csv"))).toContain(`0,,failed,${String(second)},`);
  });

  test("of a batch whose workflow was deleted has its outputs", async () => {
    const workflow = await publishedWorkflow(batches.caller);
    const id = await batches.endedBatch({ workflow, items: wordItems(2) });
    const { token } = batches.caller;
    const deleted = await call("DELETE", `/api/v1/workflows/${workflow}`, { token });
    expect(deleted.status, deleted.text).toBe(204);
    await batches.exported(id, { format: "csv" });
    expect(text(await batches.download(id, "csv"))).toContain(",,,word 1\r\n");
  });

  test("of a batch without any run has its items", async () => {
    const id = await batches.create({ workflow: echo, start: false, items: wordItems(2) });
    await batches.post(`/${id}/cancel`);
    await batches.exported(id, { format: "csv", inputs: true });
    expect(text(await batches.download(id, "csv"))).toBe(
      `${COLUMNS},input.words,output.said\r\n0,row 0,cancelled,,0,,,word 0,\r\n1,row 1,cancelled,,0,,,word 1,\r\n`,
    );
  });

  test("is 410 after the outputs of the runs have expired, and fails where only some have", async () => {
    const id = await batches.endedBatch({ workflow: echo, items: wordItems(3) });
    const runs = await batches.runsOf(id);
    await batches.expire(String(runs[1]));
    const asked = await batches.post(`/${id}/exports`, { format: "csv" });
    expect(asked.status).toBe(202);
    const failed = await batches.endedExport(id, "csv");
    expect(failed).toMatchObject({ status: "failed", files: [] });
    expect(failed.error_message).toContain(String(runs[1]));
    // The next request knows.
    const gone = await batches.post(`/${id}/exports`, { format: "csv" });
    expect([gone.status, gone.json.code]).toEqual([410, "outputs_expired"]);
    await batches.expire(String(runs[0]));
    const never = await batches.post(`/${id}/exports`, { format: "json" });
    expect([never.status, never.json.code]).toEqual([410, "outputs_expired"]);
  });

  test("is kept as long as the plan says", async () => {
    const id = await batches.endedBatch({ workflow: echo, items: wordItems(1) });
    const { workspaceId } = batches.caller;
    const which = {
      v: 1,
      workspace_id: workspaceId,
      batch_id: id,
      format: "csv",
      attempt: 1,
    } as const;
    const request: ExportRequest = {
      ...which,
      inputs: false,
      raw: false,
      workflow_name: "Test",
      total_items: 1,
      ended_at_ms: Date.now(),
      base_url: "http://svc.test",
      kept_ms: 2_000,
      columns: { inputs: [], outputs: ["said"] },
    };
    await env.BATCH_EXPORTS.request(request);
    await batches.endedExport(id, "csv");
    const key = await env.BATCH_EXPORTS.fileKey({ ...which, part: 1 });
    expect(await env.FILES.head(String(key))).not.toBeNull();
    await waitUntil(
      "the file to be deleted",
      async () => (await env.FILES.head(String(key))) === null,
    );
    expect((await env.BATCH_EXPORTS.status(which)).status).toBe("not_requested");
    expect(await env.BATCH_EXPORTS.fileKey({ ...which, part: 1 })).toBeNull();
  });

  test("is to be kept for the output_retention_days of its workspace's plan", async () => {
    const { caller } = await BatchFixture.onPlan({ output_retention_days: 7 });
    const own = new ExportFixture(caller);
    const workflow = await publishedWorkflow(caller);
    const id = await own.endedBatch({ workflow, items: wordItems(1) });
    const asked: ExportRequest[] = [];
    const status = await env.BATCH_EXPORTS.status({
      v: 1,
      workspace_id: caller.workspaceId,
      batch_id: id,
      format: "csv",
      attempt: 1,
    });
    const exports: BatchExportsApi = {
      request: (request) => {
        asked.push(request);
        return Promise.resolve(ok({ existed: false, status }));
      },
      status: () => Promise.resolve(status),
      fileKey: () => Promise.resolve(null),
    };
    const { workspaceId, organizationId } = caller;
    const none = new Set<string>();
    const ctx = {
      ...createContext({ ...env, BATCH_EXPORTS: exports }, "test", "http://svc.test", () => {}),
      principal: {
        keyId: "key_test",
        organizationId,
        workspaceId,
        scopes: none,
        permissions: none,
        isAgent: false,
      },
    };
    await requestExport(ctx, id, { format: "csv", inputs: false, raw: false });
    expect(asked).toMatchObject([{ batch_id: id, attempt: 1, kept_ms: 7 * 86_400_000 }]);
  });

  test("belongs to the workspace of its batch", async () => {
    const id = await batches.endedBatch({ workflow: echo, items: wordItems(1) });
    await batches.exported(id, { format: "csv" });
    const { token } = await newCaller();
    for (const [method, path] of [
      ["POST", "exports"],
      ["GET", "exports/csv"],
      ["GET", "exports/csv/download"],
    ] as const) {
      const json = method === "POST" ? { json: { format: "csv" } } : {};
      const refused = await call(method, `${BATCHES}/${id}/${path}`, { token, ...json });
      expect([refused.status, refused.json.code], path).toEqual([403, "forbidden"]);
      const unknown = `${BATCHES}/bat_${"0".repeat(32)}/${path}`;
      const none = await call(method, unknown, { token: batches.caller.token, ...json });
      expect([none.status, none.json.code], path).toEqual([404, "not_found"]);
      const malformed = await call(method, `${BATCHES}/bat_x/${path}`, {
        token: batches.caller.token,
        ...json,
      });
      expect([malformed.status, malformed.json.code], path).toEqual([400, "invalid_id"]);
    }
    const which = {
      v: 1,
      batch_id: id,
      format: "csv",
      attempt: 1,
      workspace_id: "ws_other",
    } as const;
    expect((await env.BATCH_EXPORTS.status(which)).status).toBe("not_requested");
    expect(await env.BATCH_EXPORTS.fileKey({ ...which, part: 1 })).toBeNull();
  });

  test("is refused with every problem of its request at once", async () => {
    const id = await batches.endedBatch({ workflow: echo, items: wordItems(1) });
    const refused = await batches.post(`/${id}/exports`, { format: "pdf", inputs: 1, more: true });
    expect([refused.status, refused.json.code]).toEqual([400, "validation_error"]);
    expect(refused.json.errors.map(({ field }: { field: string }) => field).toSorted()).toEqual([
      "format",
      "inputs",
      "more",
    ]);
    const { token } = batches.caller;
    for (const path of ["exports/pdf", "exports/pdf/download", "exports/csv/download?part=0"]) {
      const { status, json } = await call("GET", `${BATCHES}/${id}/${path}`, { token });
      expect([status, json.code], path).toEqual([400, "validation_error"]);
    }
    const malformed = await call("POST", `${BATCHES}/${id}/exports`, {
      token,
      headers: { "content-type": "application/json" },
      body: "{",
    });
    expect([malformed.status, malformed.json.code]).toEqual([400, "invalid_request"]);
  });
});

/** Databases of earlier code, and damaged rows, opened by the current code. */
import { createHash } from "node:crypto";
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import type { BatchObjectApi } from "../../../src/contracts/batches/batch-object-api.ts";
import type { RunObjectApi } from "../../../src/contracts/runs/run-object-api.ts";
import type { OrganizationAccessApi } from "../../../src/contracts/workspaces/organization-access.ts";
import type { RateLimiterApi } from "../../../src/contracts/workspaces/rate-limit.ts";
import type { RunGroupApi } from "../../../src/contracts/runs/run-group-api.ts";
import { runGroupOf } from "../../../src/storage/objects/run-group-object.ts";
import type { RunTasksApi } from "../../../src/contracts/runs/task.ts";
import type { ScheduleObjectApi } from "../../../src/contracts/schedules/schedule-object-api.ts";
import type { TemplateDraftApi } from "../../../src/contracts/templates/template-object-api.ts";
import type { UploadObjectApi } from "../../../src/contracts/files/upload.ts";
import type { WebhookEndpointObjectApi } from "../../../src/contracts/webhooks/webhook-object-api.ts";
import type { ZipExportObjectApi } from "../../../src/contracts/runs/zip-export.ts";
import { RunObject } from "../../../durable-objects/run/run-object.ts";
import { RunStore } from "../../../durable-objects/run/state/run-store.ts";
import { unwrap } from "../../../src/lib/result.ts";
import { movedToNow, withVersionsOfToday } from "../../support/past-database.ts";
import { waitUntil } from "../../support/wait-until.ts";
import { drawn, report } from "../run/run-fixture.ts";
import batch from "../../golden/databases/batch-1.sql?raw";
import endedRun from "../../golden/databases/run-1-ended.sql?raw";
import liveRun from "../../golden/databases/run-1-live.sql?raw";
import ended2 from "../../golden/databases/run-2-ended.sql?raw";
import live2 from "../../golden/databases/run-2-live.sql?raw";
import ended3 from "../../golden/databases/run-3-ended.sql?raw";
import live3 from "../../golden/databases/run-3-live.sql?raw";
import endedRun3 from "../../golden/databases/run-3-files-ended.sql?raw";
import liveRun3 from "../../golden/databases/run-3-files-live.sql?raw";
import organizationAccess from "../../golden/databases/organization-access-1.sql?raw";
import endedRun4 from "../../golden/databases/run-4-ended.sql?raw";
import liveRun4 from "../../golden/databases/run-4-live.sql?raw";
import runGroup from "../../golden/databases/run-group-1.sql?raw";
import rateLimiter from "../../golden/databases/rate-limiter-1.sql?raw";
import schedule from "../../golden/databases/schedule-1.sql?raw";
import templateDraft from "../../golden/databases/template-draft-1.sql?raw";
import templateDraft2 from "../../golden/databases/template-draft-2.sql?raw";
import upload from "../../golden/databases/upload-1.sql?raw";
import webhookEndpoint from "../../golden/databases/webhook-endpoint-1.sql?raw";
import zipExport from "../../golden/databases/zip-export-1.sql?raw";

const WORKSPACE = "ws_01a202eed94479e395e6c3ddbbf9ee9a";
const ASKED = { v: 1, workspace_id: WORKSPACE, base_url: "http://test" } as const;
const POLL = { ...ASKED, if_none_match: null, wait_ms: 0 };

/** An object that wakes over a database of the past, whose times are `byMs` later than in the file. */
async function wokenOver<T>(
  namespace: DurableObjectNamespace,
  sql: string,
  change = "SELECT 1",
): Promise<{ api: T; stub: DurableObjectStub; byMs: number }> {
  const stub = namespace.get(namespace.newUniqueId());
  const moved = movedToNow(withVersionsOfToday(sql));
  await runInDurableObject(stub, (_object, { storage }) => {
    storage.sql.exec(moved.sql.trimEnd());
    storage.sql.exec(change);
  });
  await evictDurableObject(stub);
  return { api: stub as unknown as T, stub, byMs: moved.byMs };
}

const run = (sql: string, change?: string) =>
  wokenOver<RunObjectApi & RunTasksApi>(env.RUN as unknown as DurableObjectNamespace, sql, change);

async function read(api: RunObjectApi) {
  return unwrap(await api.read(POLL)).execution!;
}

describe("a database of the first version", () => {
  it("of an ended run is read unchanged", async () => {
    const { api, byMs } = await run(endedRun);
    const execution = await read(api);
    expect(execution).toMatchObject({
      id: "run_01a202eedea47d09ba1765f8cf9c6f6e",
      status: "completed",
      credits_used: 0.06,
      outputs_total: 4,
      completed_at: new Date(1_795_345_539_219 + byMs).toISOString(),
    });
    expect(execution.outputs.map(({ presence }) => presence)).toEqual(Array(4).fill("present"));
    const trace = unwrap(await api.readTrace(ASKED));
    expect(trace.nodes.map(({ node_id, state }) => [node_id, state])).toEqual([
      ["rows", "completed"],
      ["codes", "completed"],
      ["pictures", "completed"],
      ["all", "completed"],
      ["said", "completed"],
    ]);
    const { body } = unwrap(await api.result({ ...ASKED, if_none_match: null }));
    expect(await new Response(body).json()).toMatchObject({
      result: { by_key: { said: { value: "a\nb\nc" }, pictures: { state: "present" } } },
    });
  });

  it("of a live run continues to its end", async () => {
    const { api, stub } = await run(liveRun);
    expect(await read(api)).toMatchObject({ status: "running", progress: 42 });
    await runDurableObjectAlarm(stub);
    const claim = await waitUntil("a chunk", async () => {
      // An object that has lost its memory numbers its chunks beyond those that it may have given out before.
      for (let chunk = 1; chunk < 200; chunk++) {
        const claimed = await api.claim({ v: 1, chunk, executor: "test" });
        if (claimed !== null) {
          return claimed;
        }
      }
      return undefined;
    });
    expect(claim.tasks.map(({ node_id }) => node_id)).toEqual(["codes", "codes"]);
    await api.report({
      v: 1,
      reports: claim.tasks.map((task) => report(task, drawn("code.png"))),
    });
    await waitUntil("the end", async () => (await read(api)).completed_at !== null);
    expect(await read(api)).toMatchObject({ status: "completed", credits_used: 0.04 });
  });

  it("of a batch has its counters, its items and its events", async () => {
    const { api, stub } = await wokenOver<BatchObjectApi>(
      env.BATCH as unknown as DurableObjectNamespace,
      batch,
    );
    const caller = { v: 1, workspace_id: WORKSPACE } as const;
    const state = unwrap(await api.read({ ...caller, wait_ms: 0 }));
    expect(state).toMatchObject({
      status: "partial_success",
      attempt: 1,
      used_milli_credits: 60,
      counts: { total_items: 3, completed: 2, partial_success: 1, failed: 1 },
      record: { name: "Rows" },
    });
    const failed = unwrap(await api.item({ ...caller, index: 2 }));
    expect(failed).toMatchObject({ status: "failed", client_reference: "row 2" });
    expect(failed.executions).toEqual(["run_01a203ce94b67dc49cf7c83652634202"]);
    const all = { ...caller, limit: 10, after: -1, status: null, client_reference: null };
    const { rows } = unwrap(await api.items({ ...all, with_outputs: true }));
    expect(rows.map(({ outputs }) => outputs)).toEqual([null, null, null]);
    const request = encodeURIComponent(JSON.stringify({ ...caller, last_event_id: "3" }));
    const events = await stub.fetch(`https://batch/events?request=${request}`);
    expect([...(await events.text()).matchAll(/^id: (\d)$/gm)].map(([, id]) => id)).toEqual([
      "4",
      "5",
      "6",
      "7",
    ]);
  });

  it("of a group of runs has a run, which its own object takes over", async () => {
    const id = "run_01a22354930f7661aedad569d46f6d3c";
    const groups = env.RUN_GROUP as unknown as DurableObjectNamespace;
    const group = groups.get(groups.idFromName(runGroupOf(id)));
    await runInDurableObject(group, (_object, { storage }) => {
      storage.sql.exec(movedToNow(runGroup).sql.trimEnd());
    });
    await evictDurableObject(group);
    const api = env.RUN.get(env.RUN.idFromName(id)) as unknown as RunObjectApi;
    expect(await read(api)).toMatchObject({ id, status: "completed", outputs_total: 1 });
    expect((await read(api)).outputs[0]).toMatchObject({ value: "0.25" });
    const took = group as unknown as RunGroupApi;
    const begun = { v: 1, run_id: `${id.slice(0, -2)}zz`, begins: true } as const;
    expect(await took.take(begun)).toBe(null);
  });

  it("of an export has the address of its archive", async () => {
    const { api } = await wokenOver<ZipExportObjectApi>(
      env.ZIP_EXPORT as unknown as DurableObjectNamespace,
      zipExport,
    );
    expect(await api.status({ v: 1, workspace_id: WORKSPACE })).toMatchObject({
      status: "completed",
    });
    const key = await api.archiveKey({ v: 1, workspace_id: WORKSPACE, zip_id: 1 });
    expect(key).toMatch(/Golden-cf9c6f6e\.zip$/);
  });

  it.each([
    ["first", templateDraft],
    ["second", templateDraft2],
  ])("of a design template, in its %s version, has its draft and responses", async (_name, sql) => {
    const { api, stub, byMs } = await wokenOver<TemplateDraftApi>(
      env.TEMPLATE_DRAFT as unknown as DurableObjectNamespace,
      sql,
    );
    const asked = { v: 1, workspace_id: WORKSPACE } as const;
    const found = (await api.readContent({ ...asked, if_none_match: null }))!;
    expect(found.record).toMatchObject({
      name: "Golden",
      status: "published",
      draft_revision: 2,
      latest: { revision: 1 },
      content_changed_at_ms: 1_795_345_539_720 + byMs,
    });
    expect(JSON.parse(new TextDecoder().decode(found.content!))).toMatchObject({
      schemaVersion: "2.0",
      metadata: { title: "Golden" },
    });
    const opened = unwrap(
      await api.open({
        ...asked,
        // Until the end of its life a key is older than this test.
        idempotency: { key: "PUT /golden one-golden-key", fingerprint: "golden" },
        if_match: null,
        wants_content: false,
      }),
    );
    expect(opened).toEqual({
      kind: "replay",
      replay: { status: 200, etag: "dd-draft-r2-2222222222222222", body: '{"draft_etag":"x"}' },
    });
    unwrap(await api.announceFiles({ ...asked, folder: `${WORKSPACE}/templates/tpl/new/` }));
    await runInDurableObject(stub, (_object, { storage }) => {
      expect(storage.sql.exec("SELECT folder FROM unpublished").toArray()).toHaveLength(1);
    });
  });

  it("of an upload's session is open as before", async () => {
    const { api } = await wokenOver<UploadObjectApi>(
      env.UPLOAD as unknown as DurableObjectNamespace,
      upload,
    );
    const record = unwrap(await api.read({ v: 1, workspace_id: WORKSPACE }));
    expect(record).toMatchObject({ state: "pending" });
  });

  it("of a schedule has its fields, its clock and its firings, and is resumed", async () => {
    const { api, byMs } = await wokenOver<ScheduleObjectApi>(
      env.SCHEDULE as unknown as DurableObjectNamespace,
      schedule,
    );
    const asked = { v: 1, workspace_id: WORKSPACE } as const;
    expect(await api.read(asked)).toMatchObject({
      record: { name: "Golden", interval_seconds: 3_600, jitter_seconds: 1, revision: 2 },
      status: "paused",
      next_at_ms: null,
      last_ms: 1_795_518_962_251 + byMs,
      runs_started: 3,
    });
    const { rows, total } = await api.listFirings({ ...asked, limit: 2, below_seq: null });
    expect([total, rows.map(({ seq, outcome }) => [seq, outcome])]).toEqual([
      4,
      [
        [4, "triggered"],
        [3, "started"],
      ],
    ]);
    const resumed = unwrap(await api.setStatus({ ...asked, action: "resume" }));
    expect(resumed).toMatchObject({ status: "active", runs_started: 3 });
    expect(resumed.next_at_ms).toBeGreaterThan(Date.now());
  });

  it("of a webhook endpoint has its address", async () => {
    const { api } = await wokenOver<WebhookEndpointObjectApi>(
      env.WEBHOOK_ENDPOINT as unknown as DurableObjectNamespace,
      webhookEndpoint,
    );
    expect(await api.read()).toMatchObject({ name: "Golden", url: "https://receiver.example/" });
  });

  it("of an organization's access does not return what was read long ago", async () => {
    const { api } = await wokenOver<OrganizationAccessApi>(
      env.ORGANIZATION_ACCESS as unknown as DurableObjectNamespace,
      organizationAccess,
    );
    const [key, workspace] = [
      "key_00000000000000000000000000000a02",
      "ws_00000000000000000000000000000a01",
    ];
    expect(await api.read({ v: 1, key, workspace })).toEqual({ key: null, plans: null });
  });

  it("of a rate limiter continues counting", async () => {
    const { api } = await wokenOver<RateLimiterApi>(
      env.RATE_LIMITER as unknown as DurableObjectNamespace,
      rateLimiter,
    );
    expect(await api.take({ v: 1, limit: 100, window_ms: 60_000 })).toMatchObject({
      is_allowed: true,
    });
  });
});

describe.each([
  { version: 2, ended: ended2, live: live2 },
  { version: 3, ended: ended3, live: live3 },
])("a database of version $version of a run", ({ version, ended, live }) => {
  /** The charge of an element in each kind of row, and the form of a state row. */
  const cutState =
    version === 2
      ? "UPDATE fact SET value = substr(value, 1, 60) WHERE name = 'state'"
      : "UPDATE part SET v = substr(v, 1, 60) WHERE k = 'state'";

  it("of an ended run is read unchanged, with the charge of each element", async () => {
    const { api } = await run(ended);
    const execution = await read(api);
    expect(execution).toMatchObject({
      id: `run_01a202eede${String(version)}47d09ba1765f8cf9c6fe0`,
      status: "completed",
      // One element reported a charge of 10, two were charged their node's 20.
      credits_used: 0.05,
      outputs_total: 4,
    });
    const asked = { ...ASKED, node_id: "codes", states: null, page_size: 10, after: null };
    const { data } = unwrap(await api.readIterations(asked));
    expect(data.map(({ credits }) => credits)).toEqual([0.01, 0.02, 0.02]);
    const { body } = unwrap(await api.result({ ...ASKED, if_none_match: null }));
    expect(await new Response(body).json()).toMatchObject({
      result: { by_key: { said: { value: "a\nb\nc" }, pictures: { state: "present" } } },
    });
  });

  it("of a live run continues: with the token of a waiting task, the charge so far, the rest", async () => {
    const { api, stub } = await run(live);
    expect(await read(api)).toMatchObject({ status: "running", credits_used: 0.01 });
    await runDurableObjectAlarm(stub);
    const seen: unknown[] = [];
    await waitUntil("both tasks", async () => {
      for (let chunk = 1; chunk < 200 && seen.length < 2; chunk++) {
        const claim = await api.claim({ v: 1, chunk, executor: "test" });
        if (claim !== null) {
          seen.push(...claim.tasks.map(({ indices, token }) => [indices, token]));
          const reports = claim.tasks.map((task) => report(task, drawn("code.png")));
          await api.report({ v: 1, reports });
        }
      }
      return seen.length === 2;
    });
    expect(seen).toEqual(
      expect.arrayContaining([
        [[1], "job-7"],
        [[2], undefined],
      ]),
    );
    await waitUntil("the end", async () => (await read(api)).completed_at !== null);
    expect(await read(api)).toMatchObject({ status: "completed", credits_used: 0.05 });
  });

  it("with a truncated state ends as failed, and stays readable", async () => {
    const { api } = await run(live, cutState);
    expect(await read(api)).toMatchObject({ status: "failed", error_code: "INTERNAL_ERROR" });
    expect(await api.claim({ v: 1, chunk: 1, executor: "test" })).toBeNull();
    expect(await read(api)).toMatchObject({ status: "failed", progress: 100 });
  });
});

/** Each file was an object in R2; no row contained the content of a file. */
describe("a database of a run's third version", () => {
  const asked = (workspace_id: string) => ({ ...ASKED, workspace_id });

  it("of an ended run shows its files at their old addresses", async () => {
    const { api } = await run(endedRun3);
    const workspace = "ws_01a203f3e98a7475951d6c54b5cd1c55";
    const { execution } = unwrap(
      await api.read({ ...asked(workspace), if_none_match: null, wait_ms: 0 }),
    );
    const files = `http://test/files/${workspace}/runs/run_01a203f3e98a7e12b47dcfa99eb56cce`;
    expect(execution!.outputs.map(({ url }) => url)).toEqual([
      `${files}/uo5YKO43IZ80EywFMdYukP0e0h_wggN4oUkP2HWon4s/a.png`,
      `${files}/yNpJcL7-wlQa1FyzQXfLvZT0f41TLrgh7ix3AgGpGrM/b.png`,
      undefined,
    ]);
    const { body } = unwrap(await api.result({ ...asked(workspace), if_none_match: null }));
    expect(await new Response(body).json()).toMatchObject({
      result: {
        by_key: {
          report: { value: [{ check: { of: "a.png" } }, { check: { of: "x".repeat(5_000) } }] },
        },
      },
    });
  });

  it("of a live run continues, with files in rows beside the existing ones", async () => {
    const { api, stub } = await run(liveRun3);
    const workspace = "ws_01a203f3e7097fd3a223886d0537d48f";
    const inRow = (prefix: string) => ({
      key: `${prefix}c.png`,
      name: "c.png",
      contentType: "image/png",
      sizeBytes: 3,
      inline: "YWJj",
    });
    let reported = 0;
    await waitUntil("both tasks", async () => {
      // Their leases have ended, so each is ready again after the delay of a retry.
      await runDurableObjectAlarm(stub);
      for (let chunk = 1; chunk < 200 && reported < 2; chunk++) {
        const claim = await api.claim({ v: 1, chunk, executor: "test", takes_files: true });
        const reports = (claim?.tasks ?? []).map((task) =>
          report(task, (prefix) => ({
            kind: "ok",
            outputs: [
              { port: "image", value: JSON.stringify(["f", inRow(prefix)]) },
              { port: "check", value: '["j",{}]' },
            ],
          })),
        );
        reported += reports.length;
        await api.report({ v: 1, reports });
      }
      return reported === 2;
    });
    const ended = await waitUntil("the end", async () => {
      const poll = { ...asked(workspace), if_none_match: null, wait_ms: 0 };
      const { execution } = unwrap(await api.read(poll));
      return execution?.completed_at === null ? undefined : execution!;
    });
    expect(ended.status).toBe("completed");
    const paths = ended.outputs.flatMap(({ url }) =>
      url === undefined ? [] : [url.split("/").slice(7)],
    );
    expect(paths).toEqual([
      [expect.any(String), "a.png"],
      [expect.any(String), "b.png"],
      [expect.any(String), "3-2", "c.png"],
      [expect.any(String), "3-3", "c.png"],
    ]);
  });
});

/** Files in rows; values over 64 KiB without a digest of their canonical text, and nothing taken over from other runs. */
describe("a database of a run's fourth version", () => {
  const asked = (workspace_id: string) => ({ ...ASKED, workspace_id });

  it("of an ended run is read unchanged, and gets digests once it is the source of a retry", async () => {
    const { api } = await run(endedRun4);
    const workspace = "ws_01a20ddb9be17e28a321bc7695fca87f";
    const poll = { ...asked(workspace), if_none_match: null, wait_ms: 0 };
    expect(unwrap(await api.read(poll)).execution).toMatchObject({
      id: "run_01a20ddb9be174279820e6c052b61430",
      status: "partial_success",
      credits_used: 0.06,
      reused_iterations: 0,
      is_draft: false,
      outputs_total: 5,
    });
    const opened = unwrap(
      await api.openSource({ v: 1, workspace_id: workspace, holder: "run_golden" }),
    );
    expect(opened.axis_rows).toMatchObject([{ axis: 0, status: "ok", count: 4 }]);
    const described = unwrap(
      await api.describeSource({ v: 1, workspace_id: workspace, rerun: null }),
    );
    expect(described.runs).toEqual(
      expect.arrayContaining([
        { node_id: "code", elements: 1 },
        { node_id: "checks", elements: 1 },
      ]),
    );
    const folder = `${workspace}/runs/run_01a20ddb9be174279820e6c052b61430/7MbQvfTSaWxn5ZXyBeBT9C8ttSWVwKF6mrMS_nFM4kc`;
    await env.FILES.put(`${folder}/b.png`, "abc");
    await env.FILES.put(`${folder}/check.json`, `{"of" : "${"b".repeat(69_994)}"}`);
    const { cells } = unwrap(
      await api.readSource({ v: 1, workspace_id: workspace, node: 1, from: 0, to: 4 }),
    );
    const [inRow, stored, failed, gone] = cells.map(({ body }) => body);
    const abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    const canonical = createHash("sha256").update(`{"of":"${"b".repeat(69_994)}",}`);
    expect(cells.map(({ status, charge }) => [status, charge?.milliCredits])).toEqual([
      ["ok", 20],
      ["ok", 20],
      ["failed", undefined],
      ["ok", 20],
    ]);
    expect(inRow).toContain(`"sha256":"${abc}"`);
    expect(stored).toContain(`"sha256":"${abc}"`);
    expect(stored).toContain(`"canonical":"${canonical.digest("base64url")}"`);
    expect(failed).toContain("INVALID_INPUT");
    // Without its bytes a file has no digest, and is not taken over.
    expect(gone).not.toContain("sha256");
  });

  it("of a live run continues to its end", async () => {
    const { api, stub } = await run(liveRun4);
    const workspace = "ws_01a20ddb9d9d7da6ac751df3d2193904";
    let reported = 0;
    await waitUntil("both tasks", async () => {
      // Their leases have ended, so each is ready again after the delay of a retry.
      await runDurableObjectAlarm(stub);
      for (let chunk = 1; chunk < 200 && reported < 2; chunk++) {
        const claim = await api.claim({ v: 1, chunk, executor: "test", takes_files: true });
        const reports = (claim?.tasks ?? []).map((task) => report(task, drawn("code.png")));
        reported += reports.length;
        await api.report({ v: 1, reports });
      }
      return reported === 2;
    });
    const ended = await waitUntil("the end", async () => {
      const poll = { ...asked(workspace), if_none_match: null, wait_ms: 0 };
      const { execution } = unwrap(await api.read(poll));
      return execution?.completed_at === null ? undefined : execution!;
    });
    expect(ended).toMatchObject({ status: "completed", credits_used: 0.08, outputs_total: 5 });
  });
});

describe("a run", () => {
  it("with half a migration is migrated again, completely", async () => {
    const half = `CREATE TABLE part (k TEXT PRIMARY KEY, v TEXT NOT NULL /* schema 3 */) WITHOUT ROWID;
      INSERT INTO part VALUES ('text.facts.0', '{"v":1'), ('state', '{"v":1,"state":null');`;
    const { api, stub } = await run(ended2, half);
    expect(await read(api)).toMatchObject({ status: "completed", credits_used: 0.05 });
    await runInDurableObject(stub, (_object, { storage }) => {
      const tables = storage.sql
        .exec(
          "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_cf%' ESCAPE '\\'",
        )
        .toArray();
      expect(tables).toEqual([{ name: "part" }]);
    });
  });

  it("with a truncated state ends as failed, with its tasks, and stays readable", async () => {
    const { api } = await run(
      liveRun,
      "UPDATE fact SET value = substr(value, 1, 60) WHERE name = 'state'",
    );
    expect(await read(api)).toMatchObject({ status: "failed", error_code: "INTERNAL_ERROR" });
    expect(await api.claim({ v: 1, chunk: 1, executor: "test" })).toBeNull();
    expect(await read(api)).toMatchObject({ status: "failed", progress: 100 });
  });

  it("with a truncated row, in the current form, ends as failed, and stays readable", async () => {
    const { api, stub } = await run(liveRun);
    expect(await read(api)).toMatchObject({ status: "running" });
    await runInDurableObject(stub, (_object, { storage }) => {
      storage.sql.exec("UPDATE part SET v = substr(v, 1, 60) WHERE k = 'state'");
    });
    await evictDurableObject(stub);
    expect(await read(api)).toMatchObject({ status: "failed", error_code: "INTERNAL_ERROR" });
    expect(await read(api)).toMatchObject({ status: "failed", progress: 100 });
  });

  it("with a state of a future version is refused and left unchanged", async () => {
    const { api, stub } = await run(liveRun);
    expect(await read(api)).toMatchObject({ status: "running" });
    await runInDurableObject(stub, (_object, { storage }) => {
      const { rowsWritten } = storage.sql.exec(
        `UPDATE part SET v = replace(v, '"state":{"v":1,', '"state":{"v":9,') WHERE k = 'state'`,
      );
      expect(rowsWritten).toBe(1);
    });
    await evictDurableObject(stub);
    await runInDurableObject(stub, async (object, { storage }) => {
      const rows = () => storage.sql.exec("SELECT * FROM part ORDER BY k").toArray();
      const before = rows();
      // Checked in the object itself: an error that reaches the test over RPC is also reported as unhandled.
      const refused = (object as unknown as RunObjectApi).read(POLL);
      await expect(refused).rejects.toThrow("The state of the run has version 9");
      expect(rows()).toEqual(before);
      await storage.setAlarm(Date.now() + 60_000);
    });
    await runDurableObjectAlarm(stub);
    await runInDurableObject(stub, async (_object, { storage }) => {
      expect(await storage.getAlarm()).toBeGreaterThan(Date.now());
    });
  });

  it("with a database of a future version is refused, unchanged, until the newer code is deployed again", async () => {
    const stub = env.RATE_LIMITER.get(env.RATE_LIMITER.newUniqueId());
    await runInDurableObject(stub, async (_object, state) => {
      const { sql } = state.storage;
      sql.exec(movedToNow(liveRun).sql.trimEnd());
      sql.exec("CREATE VIEW schema_version AS SELECT /* schema 99 */ 99");
      const rows = () => sql.exec("SELECT * FROM fact ORDER BY name").toArray();
      const before = rows();
      expect(() => new RunObject(state, env)).toThrow("version 99");
      expect(rows()).toEqual(before);
      expect(await state.storage.getAlarm()).toBeGreaterThan(Date.now());
      sql.exec("DROP VIEW schema_version");
      expect(() => new RunObject(state, env)).not.toThrow();
      await state.storage.deleteAlarm();
    });
  });

  it("with an outline of a mebibyte is restored and read", async () => {
    const { api, stub } = await run(endedRun);
    expect(await read(api)).toMatchObject({ status: "completed" });
    await runInDurableObject(stub, (_object, { storage }) => {
      const store = new RunStore(storage, Date.now);
      const metadata = JSON.parse(store.getText("facts")) as {
        kept_plan: { outline: [number, unknown[][]] };
      };
      for (const node of metadata.kept_plan.outline[1]) {
        node[1] = "x".repeat(220_000);
      }
      const text = JSON.stringify(metadata);
      expect(text.length).toBeGreaterThan(1024 * 1024);
      store.putText("facts", text);
    });
    await evictDurableObject(stub);
    expect(await read(api)).toMatchObject({ status: "completed", outputs_total: 4 });
    expect(unwrap(await api.readTrace(ASKED)).nodes).toHaveLength(5);
  });
});

/** Refusals of tokens on every route, and the documented responses of /api/embed that the tests beside this file do not need. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import type { Endpoint } from "../../../src/api/define-endpoint.ts";
import { embedPermission } from "../../../src/api/endpoint-declaration.ts";
import { ASSET_BYTES_MAX } from "../../../src/contracts/files/asset.ts";
import { ENDPOINTS } from "../../../src/api/routes.ts";
import { call, operator, ORIGIN, type Reply } from "../../support/api-caller.ts";
import { keysOf } from "../../support/asset-form.ts";
import {
  EMBED_ORIGINS,
  type EmbedCaller,
  mint,
  mintEditor,
  newEmbedCaller,
  resigned,
  submitEmbed,
} from "../../support/embeds/embed-caller.ts";
import { CODES } from "../../support/paid-definitions.ts";
import { ECHO_DEFINITION, publishedWorkflow } from "../../support/published-workflow.ts";
import { HOME_DB } from "../../support/home-database.ts";

const NOBODYS = "0190f3aa000070008000000000000001";
const TABLE_DEFINITION = {
  nodes: [
    { id: "table", type: "input/csv", label: "Table", parameters: {} },
    { id: "seen", type: "output/json", label: "Seen", parameters: {} },
  ],
  connections: [{ from: { node: "table", port: "item" }, to: { node: "seen", port: "json" } }],
};

const embedRoutes = ENDPOINTS.filter(({ access }) => embedPermission(access) !== undefined);
const keyRoutes = ENDPOINTS.filter(
  ({ access }) => typeof access === "object" && access.needsApiKey !== true,
);
const operatorRoutes = ENDPOINTS.filter(({ access }) => access === "operator");
const answer = ({ status, json }: Reply) => [status, json?.code];

function send({ method, path, operationId, request }: Endpoint, token: string): Promise<Reply> {
  return call(method.toUpperCase(), path.replaceAll(/\{\w+\+?\}/g, NOBODYS), {
    token,
    headers: { "idempotency-key": `refused-${operationId}` },
    ...(request.body !== undefined && { json: {} }),
  });
}

async function expectOf(routes: readonly Endpoint[], token: string, refusal: [number, string]) {
  expect(routes.length).toBeGreaterThan(10);
  for (const endpoint of routes) {
    expect(answer(await send(endpoint, token)), endpoint.operationId).toEqual(refusal);
  }
}

async function onPlan(name: string, limits: object): Promise<EmbedCaller> {
  const caller = await newEmbedCaller();
  await operator("PUT", `/admin/v1/plans/${name}`, { name, limits });
  return caller;
}

const movedTo = (caller: EmbedCaller, plan: string) =>
  operator("PUT", `/admin/v1/workspaces/${caller.workspaceId}/plan`, { plan });

describe("on every route", () => {
  let caller: EmbedCaller;

  beforeAll(async () => {
    caller = await newEmbedCaller();
  });

  test("a runtime token is 403 outside of /api/embed", async () => {
    const { token } = await mint(caller);
    await expectOf(keyRoutes, token, [403, "forbidden"]);
    await expectOf(operatorRoutes, token, [403, "forbidden"]);
  });

  test("the token of an editor is 403 in /api/embed", async () => {
    const { token } = await mintEditor(caller);
    await expectOf(embedRoutes, token, [403, "forbidden"]);
  });

  test("a token without the permission of a route is 403 in /api/embed", async () => {
    const token = await resigned((await mint(caller)).token, { permissions: [] });
    await expectOf(embedRoutes, token, [403, "insufficient_scope"]);
  });

  test("a plan without embeds is 402, for the token of an editor too", async () => {
    const own = await onPlan("routes-without-embeds", { embed_access: false });
    const { token } = await mint(own);
    const editor = await mintEditor(own);
    await movedTo(own, "routes-without-embeds");
    await expectOf(embedRoutes, token, [402, "plan_limit_exceeded"]);
    await expectOf(keyRoutes, editor.token, [402, "plan_limit_exceeded"]);
  });

  test("more calls of a token than the plan's figure are 429", async () => {
    const own = await onPlan("routes-of-one", {
      embed_requests_per_minute: 1,
      requests_per_minute: 1_000,
    });
    await movedTo(own, "routes-of-one");
    const { token } = await mint(own);
    expect((await call("GET", "/api/embed/config", { token })).status).toBe(200);
    await expectOf(embedRoutes, token, [429, "too_many_requests"]);
  });

  test("a parameter of the query that a route of embeds does not have is 400", async () => {
    const { token } = await mint(caller);
    for (const { method, path, operationId, request } of embedRoutes) {
      if (request.body === undefined && operationId !== "uploadEmbedAsset") {
        const target = `${path.replaceAll(/\{\w+\+?\}/g, NOBODYS)}?no_such_parameter=1`;
        const reply = await call(method.toUpperCase(), target, { token });
        expect(answer(reply), operationId).toEqual([400, "validation_error"]);
      }
    }
  });
});

describe("a run of an embed", () => {
  test("is cancelled while it works, and then not again", async () => {
    const { token } = await mint(await newEmbedCaller({}, CODES));
    const { json: run } = await submitEmbed(token, { inputs: { rows: { value: '["a","b"]' } } });
    const path = `/api/embed/executions/${run.id}`;
    const cancelled = await call("POST", `${path}/cancel`, { token });
    expect([cancelled.status, cancelled.json.status]).toEqual([200, "cancelling"]);
    const ended = await call("GET", path, { token, headers: { prefer: "wait=20" } });
    expect(ended.json.status).toBe("cancelled");
    const late = await call("POST", `${path}/cancel`, { token });
    expect(answer(late)).toEqual([422, "already_terminal"]);
  });

  test("is not sent again to a caller who has it", async () => {
    const { token } = await mint(await newEmbedCaller());
    const { json: run } = await submitEmbed(token);
    const path = `/api/embed/executions/${run.id}`;
    const ended = await call("GET", path, { token, headers: { prefer: "wait=20" } });
    expect(ended.json.status).toBe("completed");
    for (const target of [path, `${path}/result`]) {
      const first = await call("GET", target, { token });
      const headers = { "if-none-match": first.headers.get("etag") ?? "" };
      expect((await call("GET", target, { token, headers })).status, target).toBe(304);
    }
  });

  test("needs the stored definition of its version", async () => {
    const caller = await newEmbedCaller();
    const { token } = await mint(caller);
    // As if lost: version 2, which no isolate has read.
    const fresh = await publishedWorkflow(caller, ECHO_DEFINITION);
    await HOME_DB.prepare(
      "UPDATE workflow_versions SET version = 2, workflow_id = ?1, definition = NULL WHERE workflow_id = ?2",
    )
      .bind(caller.workflowId, fresh)
      .run();
    await HOME_DB.prepare("UPDATE workflows SET version = 2 WHERE id = ?1")
      .bind(caller.workflowId)
      .run();
    const minted = await call("POST", "/api/v1/embed/tokens", {
      token: caller.token,
      json: { workflow: caller.workflowId, allowed_origins: EMBED_ORIGINS, interface: "default" },
    });
    expect([
      answer(await call("GET", "/api/embed/config", { token })),
      answer(await submitEmbed(token)),
      answer(minted),
    ]).toEqual(Array.from({ length: 3 }, () => [404, "version_not_available"]));
  });

  test("refuses a key for repeats that is too short", async () => {
    const { token } = await mint(await newEmbedCaller());
    const short = await submitEmbed(token, undefined, { "idempotency-key": "short" });
    expect(answer(short)).toEqual([400, "invalid_idempotency_key"]);
  });
});

function uploadTable(token: string, headers: Record<string, string> = {}, content = "a,b\n1,2\n") {
  const body = new FormData();
  body.set("file", new File([content], "table.csv"));
  return call("POST", "/api/embed/assets", { token, body, headers });
}

/** A form with one byte more than a file may have. */
function tooLarge(): ReadableStream<Uint8Array> {
  const encode = (text: string) => new TextEncoder().encode(text);
  let left = ASSET_BYTES_MAX + 1;
  return new ReadableStream({
    start(controller) {
      controller.enqueue(
        encode('--b\r\nContent-Disposition: form-data; name="file"; filename="table.csv"\r\n\r\n'),
      );
    },
    pull(controller) {
      const piece = new Uint8Array(Math.min(left, 1024 * 1024)).fill(0x61);
      left -= piece.byteLength;
      controller.enqueue(piece);
      if (left === 0) {
        controller.enqueue(encode("\r\n--b--\r\n"));
        controller.close();
      }
    },
  });
}

describe("an upload of an embed", () => {
  let caller: EmbedCaller;
  let token: string;

  beforeAll(async () => {
    caller = await newEmbedCaller({}, TABLE_DEFINITION);
    ({ token } = await mint(caller));
  });

  const post = (path: string, json?: unknown, more: object = {}) =>
    call("POST", `/api/embed/uploads${path}`, { token, json, ...more });
  const single = { file_name: "a.txt", size_bytes: 5 };
  const multipart = { ...single, upload_mode: "multipart" };
  const parts = (checksum = "AAAAAAAAAAAAAAAAAAAAAA==", size = 5) => ({
    parts: [{ part_number: 1, size_bytes: size, checksum_base64: checksum }],
  });

  const object = (id: string) => env.UPLOAD.get(env.UPLOAD.idFromName(id));

  /** Moves the deadline and wakes the object again, so that it reads its row. */
  async function endIn(id: string, ms: number): Promise<void> {
    await runInDurableObject(object(id), (_instance, state) => {
      const [row] = state.storage.sql
        .exec<{ session: string }>("SELECT session FROM session")
        .toArray();
      const session = JSON.parse(row?.session ?? "{}");
      session.facts.finalize_expires_at_ms = Date.now() + ms;
      state.storage.sql.exec("UPDATE session SET session = ?", JSON.stringify(session));
    });
    await runInDurableObject(object(id), (_instance, state) => {
      state.abort("wake again");
    }).catch(() => undefined);
  }

  test("is refused as an upload of the workspace is", async () => {
    const key = { "idempotency-key": "one-and-the-same" };
    expect(answer(await uploadTable(token, { "idempotency-key": "short" }))).toEqual([
      400,
      "invalid_idempotency_key",
    ]);
    expect(answer(await post("", single, { headers: { "idempotency-key": "short" } }))).toEqual([
      400,
      "invalid_idempotency_key",
    ]);
    const form = { "content-type": "multipart/form-data; boundary=none" };
    const none = await call("POST", "/api/embed/assets", { token, headers: form, body: "no form" });
    expect(answer(none)).toEqual([400, "invalid_request"]);
    const large = await call("POST", "/api/embed/assets", {
      token,
      headers: { "content-type": "multipart/form-data; boundary=b" },
      body: tooLarge(),
    });
    expect(answer(large)).toEqual([413, "file_too_large"]);
    const binary = await uploadTable(token, {}, "\u0000\u0001".repeat(400));
    expect(answer(binary)).toEqual([400, "invalid_content"]);
    const first = await uploadTable(token, key);
    expect(first.status).toBe(201);
    expect(answer(await uploadTable(token, key, "other\n"))).toEqual([409, "idempotency_conflict"]);
    const gone = await call(
      "DELETE",
      `/api/v1/assets?path=${encodeURIComponent(first.json.path)}`,
      { token: caller.token },
    );
    expect(gone.status, gone.text).toBe(204);
    expect(answer(await uploadTable(token, key))).toEqual([404, "not_found"]);
    expect(answer(await post("", { ...single, size_bytes: 0 }))).toEqual([400, "invalid_size"]);
    const sessionKey = { headers: { "idempotency-key": "one-session" } };
    expect((await post("", single, sessionKey)).status).toBe(200);
    expect(answer(await post("", { ...single, size_bytes: 6 }, sessionKey))).toEqual([
      409,
      "idempotency_conflict",
    ]);
  });

  test("goes by parts, and each of its steps has its state", async () => {
    const content = new TextEncoder().encode("words");
    const md5 = new Uint8Array(await crypto.subtle.digest("MD5", content));
    const { upload_id: id } = (await post("", multipart)).json;
    expect(answer(await post(`/${id}/finalize`))).toEqual([422, "invalid_state"]);
    expect(answer(await post(`/${id}/parts:sign`, parts(undefined, 6)))).toEqual([
      400,
      "invalid_size",
    ]);
    expect(answer(await post(`/${id}:complete`))).toEqual([409, "file_not_uploaded"]);
    const signed = await post(`/${id}/parts:sign`, parts(btoa(String.fromCharCode(...md5))));
    expect(signed.status, signed.text).toBe(200);
    const [grant] = signed.json.parts;
    const put = await call("PUT", String(grant.upload_url).slice(ORIGIN.length), {
      body: content,
      headers: grant.required_headers,
    });
    expect(put.status).toBe(200);
    expect((await post(`/${id}:complete`)).status).toBe(202);
    expect(answer(await post(`/${id}/parts:sign`, parts()))).toEqual([409, "conflict"]);
    await expect
      .poll(async () => (await call("GET", `/api/embed/uploads/${id}`, { token })).json.status)
      .toBe("finalized");
    expect(answer(await post(`/${id}:abort`))).toEqual([409, "conflict"]);
    expect(answer(await post(`/upl_${NOBODYS}/parts:sign`, parts()))).toEqual([404, "not_found"]);
    const alone = (await post("", single)).json.upload_id;
    expect(answer(await post(`/${alone}/parts:sign`, parts()))).toEqual([422, "invalid_state"]);
    expect(answer(await post(`/${alone}:complete`))).toEqual([422, "invalid_state"]);
    expect((await post(`/${alone}:abort`)).status).toBe(204);
  });

  test("ends at its time", async () => {
    const { upload_id: id } = (await post("", multipart)).json;
    const { upload_id: alone } = (await post("", single)).json;
    await endIn(id, 30_000);
    await endIn(alone, 30_000);
    expect(answer(await post(`/${id}:complete`))).toEqual([409, "window_closing"]);
    expect(answer(await post(`/${alone}/finalize`))).toEqual([409, "window_closing"]);
    await endIn(id, -1);
    await endIn(alone, -1);
    for (const reply of [
      await post(`/${id}/parts:sign`, parts()),
      await post(`/${id}:complete`),
      await post(`/${id}:abort`),
      await post(`/${alone}/finalize`),
      await call("GET", `/api/embed/uploads/${id}`, { token }),
    ]) {
      expect(answer(reply)).toEqual([410, "upload_expired"]);
    }
  });

  test("is finalized with the bytes that were validated", async () => {
    const { json } = await post("", { file_name: "a.txt", size_bytes: 3 });
    const finalize = () => post(`/${json.upload_id}/finalize`);
    const put = (body: string) =>
      call("PUT", String(json.upload_url).slice(ORIGIN.length), {
        body,
        headers: json.required_headers,
      });
    expect(answer(await finalize())).toEqual([409, "file_not_uploaded"]);
    expect((await put("one")).status).toBe(200);
    const keys = await keysOf(caller.workspaceId);
    const texts = await Promise.all(
      keys.map(async (key) => ({ key, text: await (await env.FILES.get(key))?.text() })),
    );
    const stored = texts.find(({ text }) => text === "one");
    await env.FILES.put(stored?.key ?? "", "two");
    expect(answer(await finalize())).toEqual([412, "precondition_failed"]);
    // Bytes that are not text.
    const bytes = await post("", { file_name: "b.txt", size_bytes: 3 });
    await call("PUT", String(bytes.json.upload_url).slice(ORIGIN.length), {
      body: "\u0000\u0001\u0002",
      headers: bytes.json.required_headers,
    });
    expect(answer(await post(`/${bytes.json.upload_id}/finalize`))).toEqual([
      400,
      "content_mismatch",
    ]);
  });

  test("to a store with direct uploads is checked there; a deployment may refuse sessions", async () => {
    const direct = {
      S3_ENDPOINT: "https://store.example",
      S3_BUCKET: "files",
      S3_ACCESS_KEY_ID: "a key id",
      S3_SECRET_ACCESS_KEY: "a secret of the store",
    };
    const { json } = await post("", { file_name: "a.txt", size_bytes: 3 }, { env: direct });
    const key = decodeURIComponent(new URL(json.upload_url).pathname.slice("/files/".length));
    await env.FILES.put(key, "four");
    const larger = await post(`/${json.upload_id}/finalize`, undefined, { env: direct });
    expect(answer(larger)).toEqual([400, "invalid_size"]);
    const off = { env: { PRESIGNED_UPLOADS: "off" } };
    const id = json.upload_id;
    for (const reply of [
      await post("", single, off),
      await call("GET", `/api/embed/uploads/${id}`, { token, ...off }),
      await post(`/${id}/parts:sign`, parts(), off),
      await post(`/${id}:complete`, undefined, off),
      await post(`/${id}/finalize`, undefined, off),
      await post(`/${id}:abort`, undefined, off),
    ]) {
      expect(answer(reply)).toEqual([501, "feature_disabled"]);
    }
  });

  test("takes room of its workspace, and needs its workflow", async () => {
    const own = await newEmbedCaller({}, TABLE_DEFINITION);
    const minted = await mint(own);
    const session = () => call("POST", "/api/embed/uploads", { token: minted.token, json: single });
    await operator("PUT", "/admin/v1/plans/embeds-of-four-bytes", {
      limits: {
        max_storage_bytes: 4,
        embed_requests_per_minute: 1_000,
        requests_per_minute: 1_000,
      },
    });
    await movedTo(own, "embeds-of-four-bytes");
    expect(answer(await session())).toEqual([402, "quota_exceeded"]);
    expect(answer(await uploadTable(minted.token))).toEqual([402, "quota_exceeded"]);
    for (let at = 0; at < 58; at += 1) {
      await session();
    }
    expect(answer(await session())).toEqual([429, "rate_limited"]);
    const other = await mint(own);
    const archive = `/api/v1/workflows/${own.workflowId}/archive`;
    const archived = await call("POST", archive, { token: own.token });
    expect(archived.status, archived.text).toBe(200);
    const closed = () => call("POST", "/api/embed/uploads", { token: other.token, json: single });
    expect([answer(await closed()), answer(await uploadTable(other.token))]).toEqual([
      [400, "workflow_not_published"],
      [400, "workflow_not_published"],
    ]);
    const deleted = await call("DELETE", `/api/v1/workflows/${own.workflowId}`, {
      token: own.token,
    });
    expect(deleted.status, deleted.text).toBe(204);
    expect(answer(await closed())).toEqual([404, "not_found"]);
  });
});

/** Refusals of the webhook routes (docs/contract/webhooks.md#transitions, docs/contract/webhooks.md#receiver-addresses, docs/contract/problems.md#codes, docs/contract/idempotency.md#keys, docs/contract/webhooks.md#deliveries). */
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { unwrap } from "../../../src/lib/result.ts";
import { newId } from "../../../src/platform/ids.ts";
import { webhookEndpointObject } from "../../../src/storage/objects/webhook-endpoint-object.ts";
import { call, type Caller, newCaller, operator } from "../../support/api-caller.ts";

const NOBODYS = "0190f3aa000070008000000000000001";
const ENDPOINTS = "/api/v1/webhooks/endpoints";
const body = {
  name: "Test",
  url: "https://receiver.example/hook",
  event_types: ["com.svc.execution.finished.v1"],
};

let keys = 0;
const send = (
  { token }: Pick<Caller, "token">,
  method: string,
  path: string,
  json?: unknown,
  key = `a key of ${String((keys += 1))}`,
) => call(method, path, { token, json, headers: { "idempotency-key": key } });
const create = (by: Caller, change: object = {}, key?: string) =>
  send(by, "POST", ENDPOINTS, { ...body, ...change }, key);

const caller = await newCaller();

test("an address that can receive nothing is rejected on create and on change", async () => {
  const { json: endpoint } = await create(caller);
  for (const url of ["http://receiver.example/", "https://10.0.0.1/", "ftp://x", "nonsense"]) {
    const created = await create(caller, { url });
    const changed = await send(caller, "PATCH", `${ENDPOINTS}/${endpoint.id}`, { url });
    for (const { status, json } of [created, changed]) {
      expect([status, json.code, json.errors[0].field], url).toEqual([400, "invalid_url", "url"]);
    }
  }
});

test("an endpoint that names no event types receives the ends of runs, and not those of batches", async () => {
  const { event_types: _, ...plain } = body;
  const { status, json } = await send(caller, "POST", ENDPOINTS, plain);
  expect([status, json.event_types]).toEqual([201, ["com.svc.execution.finished.v1"]]);
});

test("a key of another body is rejected, on create and on change", async () => {
  const { json: first } = await create(caller, {}, "the same key");
  const other = await create(caller, { name: "Other" }, "the same key");
  expect([other.status, other.json.code]).toEqual([409, "idempotency_conflict"]);
  const path = `${ENDPOINTS}/${first.id}`;
  expect((await send(caller, "PATCH", path, { name: "One" }, "one change")).status).toBe(200);
  const changed = await send(caller, "PATCH", path, { name: "Two" }, "one change");
  expect([changed.status, changed.json.code]).toEqual([409, "idempotency_conflict"]);
  expect((await call("GET", path, caller)).json.name).toBe("One");
});

test("a key of a change without a body is replayed by the same change only: each change has its own keys", async () => {
  const [{ json: one }, { json: two }] = [await create(caller), await create(caller)];
  const key = "shared by several changes";
  for (const [id, action] of [
    [one.id, "rotate-secret"],
    [two.id, "rotate-secret"],
    [one.id, "revoke-previous-secret"],
  ]) {
    const response = await send(caller, "POST", `${ENDPOINTS}/${id}/${action}`, undefined, key);
    expect([response.status, response.headers.get("idempotency-replayed")]).toEqual([200, null]);
  }
  const again = await send(caller, "POST", `${ENDPOINTS}/${one.id}/rotate-secret`, undefined, key);
  expect([again.status, again.headers.get("idempotency-replayed")]).toEqual([200, "true"]);
});

test("an unknown workflow is rejected", async () => {
  const { status, json } = await create(caller, {
    workflow_scope: "selected",
    workflow_ids: [`wf_${NOBODYS}`],
  });
  expect([status, json.code]).toEqual([404, "not_found"]);
});

test("more endpoints than the plan allows are refused, until one is archived", async () => {
  await operator("PUT", "/admin/v1/plans/one-endpoint", {
    limits: { max_webhook_endpoints: 1, requests_per_minute: 100_000 },
  });
  const own = await newCaller();
  await operator("PUT", `/admin/v1/workspaces/${own.workspaceId}/plan`, { plan: "one-endpoint" });
  const { json: first } = await create(own);
  const second = await create(own);
  expect([second.status, second.json.code]).toEqual([402, "endpoint_limit_reached"]);
  expect((await send(own, "DELETE", `${ENDPOINTS}/${first.id}`)).status).toBe(200);
  expect((await create(own)).status).toBe(201);
});

test("an archived endpoint accepts no change except archiving it again", async () => {
  const { json: endpoint } = await create(caller);
  const path = `${ENDPOINTS}/${endpoint.id}`;
  expect((await send(caller, "DELETE", path)).json.status).toBe("archived");
  for (const [method, action, json] of [
    ["PATCH", "", { name: "Other" }],
    ["POST", "/test", undefined],
    ["POST", "/activate", undefined],
    ["POST", "/pause", undefined],
    ["POST", "/rotate-secret", undefined],
    ["POST", "/revoke-previous-secret", undefined],
  ] as const) {
    const response = await send(caller, method, path + action, json);
    expect([response.status, response.json.code], action).toEqual([422, "invalid_state"]);
  }
  expect((await send(caller, "DELETE", path)).status).toBe(200);
});

test("lists of one endpoint are refused if it belongs to another workspace or does not exist", async () => {
  const { json: endpoint } = await create(caller);
  const stranger = await newCaller();
  for (const list of ["deliveries", "activity"]) {
    const of = (id: string) => `/api/v1/webhooks/${list}?endpoint_id=${id}`;
    expect((await call("GET", of(endpoint.id), caller)).status).toBe(200);
    const foreign = await call("GET", of(endpoint.id), stranger);
    expect([foreign.status, foreign.json.code], list).toEqual([403, "forbidden"]);
    const none = await call("GET", of(`whe_${NOBODYS}`), caller);
    expect([none.status, none.json.code], list).toEqual([404, "not_found"]);
  }
});

test("a delivery is resent only after the endpoint that its 410 disabled is active again", async () => {
  const { json: endpoint } = await create(caller);
  const path = `${ENDPOINTS}/${endpoint.id}`;
  const receiver = new Receiver(endpoint.id);
  const activate = async () => {
    await receiver.passTest();
    const { status, json } = await send(caller, "POST", `${path}/activate`);
    expect([status, json.status]).toEqual([200, "active"]);
  };
  await activate();
  const execution = newId("run", Date.now());
  await receiver.hear(execution);
  await receiver.answer(410);
  const list = await call("GET", `/api/v1/webhooks/deliveries?execution=${execution}`, caller);
  const [delivery] = list.json.data;
  expect([delivery.status, list.json.total_count]).toEqual(["exhausted", 1]);
  const resend = (kind: string) =>
    send(caller, "POST", `/api/v1/webhooks/deliveries/${delivery.id}/${kind}`);
  for (const kind of ["retry", "replay"]) {
    const { status, json } = await resend(kind);
    expect([status, json.code], kind).toEqual([422, "invalid_state"]);
  }
  await activate();
  expect((await send(caller, "POST", `${path}/pause`)).json.status).toBe("paused");
  expect((await send(caller, "POST", `${path}/activate`)).json.status).toBe("active");
  const retried = await resend("retry");
  expect([retried.status, retried.json.status]).toEqual([202, "retrying"]);
  await receiver.answer(204);
  const replayed = await resend("replay");
  expect([replayed.status, replayed.json.status]).toEqual([202, "retrying"]);
  await receiver.answer(204);
  const done = await call("GET", `/api/v1/webhooks/deliveries/${delivery.id}`, caller);
  expect(done.json).toMatchObject({ status: "delivered", attempt_count: 3 });
});

/** Plays the runner and the receiver of one endpoint. */
class Receiver {
  readonly #endpoint: ReturnType<typeof webhookEndpointObject>;

  constructor(id: string) {
    this.#endpoint = webhookEndpointObject({ env }, id);
  }

  async passTest(): Promise<void> {
    const idempotency = { key: crypto.randomUUID(), fingerprint: "" };
    const begun = unwrap(await this.#endpoint.beginTest({ v: 1, idempotency }));
    if (begun.kind === "begun") {
      await this.#report(begun.attempt, 204);
    }
  }

  hear(execution: string): Promise<void> {
    return this.#endpoint.accept({
      v: 1,
      event_id: newId("event", Date.now()),
      event_type: "com.svc.execution.finished.v1",
      execution,
      workflow_id: `wf_${NOBODYS}`,
      body: "{}",
    });
  }

  async answer(status: number): Promise<void> {
    const [attempt] = await this.#endpoint.claim({ v: 1, max: 1 });
    await this.#report(attempt!, status);
  }

  async #report(attempt: { delivery_id: string; fence: number }, status: number): Promise<void> {
    const { delivery_id, fence } = attempt;
    const error = status < 300 ? null : ("http_error" as const);
    const outcome = {
      duration_ms: 1,
      response_status: status,
      error_code: error,
      response_excerpt: "",
      retry_after: null,
    };
    await this.#endpoint.report({ v: 1, delivery_id, fence, outcome, max: 0 });
  }
}

/** Webhooks on the real service, with a receiver whose faults are scripted. */
import { rm } from "node:fs/promises";
import { Webhook } from "standardwebhooks";
import { Webhook as SvixWebhook } from "svix";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { WebhookDelivery } from "../../src/contracts/webhooks/webhook.ts";
import { HOSTILE_URLS, PUBLIC_LITERAL_URLS } from "../support/egress/url-vectors.ts";
import {
  FaultReceiver,
  type ReceivedRequest,
  type ScriptedResponse,
} from "../support/node/fault-receiver.ts";
import { type RunningService, startService } from "../support/node/start-service.ts";
import { WebhookClient } from "../support/node/webhook-client.ts";
import { waitUntil } from "../support/wait-until.ts";
import { sizeOf } from "../support/sizes.ts";
import { describeOfOneSize, testInProof, testOfOneSize as test } from "../support/in-proof.ts";

let receiver: FaultReceiver;
/** Represents an internal host: no request may ever reach it. */
let inside: FaultReceiver;
let service: RunningService;
let webhooks: WebhookClient;
let workflow: string;

const boot = (more: { directory?: string; port?: number } = {}) =>
  startService({ env: { EGRESS_ALLOW_LOOPBACK: receiver.host }, ...more });

beforeAll(async () => {
  [receiver, inside] = await Promise.all([FaultReceiver.start(), FaultReceiver.start()]);
  service = await boot();
  webhooks = new WebhookClient(service);
  workflow = await webhooks.echoWorkflow();
});

afterAll(async () => {
  await service.stop();
  await Promise.all([receiver.stop(), inside.stop()]);
  await rm(service.directory, { recursive: true, force: true });
});

/** An endpoint that a test left active would receive the runs of the next. */
afterEach(async () => {
  const { json } = await webhooks.call("GET", "/endpoints?limit=100");
  for (const { id } of json.data as { id: string }[]) {
    await webhooks.call("DELETE", `/endpoints/${id}`);
  }
});

let paths = 0;
const newPath = () => `/hook-${++paths}`;

/** Waits for this many requests for the end of a run at a path and returns them. */
function received(path: string, run: string, count = 1, timeoutMs = 10_000) {
  return waitUntil(
    `${count} requests for ${run} at ${path}`,
    () => {
      const found = receiver.at(path).filter(({ body }) => body.includes(run));
      return Promise.resolve(found.length >= count && found);
    },
    timeoutMs,
  );
}

function delivery(
  endpoint: string,
  run: string,
  is: (found: WebhookDelivery) => boolean,
  timeoutMs = 20_000,
): Promise<WebhookDelivery> {
  return waitUntil(
    `the delivery of ${run}`,
    async () => {
      const [found] = await webhooks.deliveries(`endpoint_id=${endpoint}&execution=${run}`);
      return found !== undefined && is(found) && found;
    },
    timeoutMs,
  );
}

describeOfOneSize("an endpoint", () => {
  test("is created, verified, activated and receives each end once, in an event that receivers' libraries accept", async () => {
    const path = newPath();
    const endpoint = await webhooks.create(receiver.url(path), { description: "mine" });
    expect(endpoint.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(endpoint).toMatchObject({
      status: "pending_verification",
      url_revision: 1,
      workflow_scope: "all",
      workflow_ids: [],
      verified_at: null,
    });
    const missed = await webhooks.run(workflow, "before any proof");
    const early = await webhooks.call("POST", `/endpoints/${endpoint.id}/activate`);
    expect([early.status, early.json.code]).toEqual([422, "verification_required"]);
    const tested = await webhooks.test(endpoint.id);
    expect(tested).toMatchObject({ outcome: "passed", attempt: { response_status: 204 } });
    const active = await webhooks.call("POST", `/endpoints/${endpoint.id}/activate`);
    expect(active.json).toMatchObject({ status: "active", id: endpoint.id });
    const run = await webhooks.run(workflow, "héllo, 世界");
    const [request] = await received(path, run);
    const event = new Webhook(endpoint.secret).verify(request!.body, request!.headers as never);
    expect(
      new SvixWebhook(endpoint.secret).verify(request!.body, request!.headers as never),
    ).toEqual(event);
    expect(request!.headers["content-type"]).toBe("application/cloudevents+json");
    const base = `${service.baseUrl}/api/v1`;
    expect(event).toMatchObject({
      specversion: "1.0",
      id: request!.headers["webhook-id"],
      source: base,
      type: "com.svc.execution.finished.v1",
      subject: run,
      datacontenttype: "application/json",
      data: {
        execution_id: run,
        workflow_id: workflow,
        workflow_name: "Webhooks: echo",
        workflow_version: 1,
        interface: null,
        status: "completed",
        error_code: null,
        outputs_truncated: false,
        result_url: `${base}/executions/${run}/result`,
        trace_url: `${base}/executions/${run}/trace`,
        outputs: [{ key: "out", delivery: "inline", value: "héllo, 世界" }],
      },
    });
    expect((event as { id: string }).id).toMatch(/^evt_[0-9a-f]{32}$/);
    const done = await delivery(endpoint.id, run, ({ status }) => status === "delivered");
    expect(done).toMatchObject({ attempt_count: 1, event_id: (event as { id: string }).id });
    expect((await webhooks.call("GET", `/deliveries/${done.id}`)).json).toEqual(done);
    expect(receiver.at(path).some(({ body }) => body.includes(missed))).toBe(false);
  });

  test("shows its secret once, and repeats of a request change nothing", async () => {
    const body = { name: "Once", url: receiver.url(newPath()) };
    const key = webhooks.newKey();
    const first = await webhooks.call("POST", "/endpoints", { body, key });
    const again = await webhooks.call("POST", "/endpoints", { body, key });
    expect([again.status, again.isReplay, again.json.id]).toEqual([201, true, first.json.id]);
    expect(first.json.signing_secret).toBeDefined();
    expect(again.json.signing_secret).toBeNull();
    const other = await webhooks.call("POST", "/endpoints", {
      body: { ...body, name: "Two" },
      key,
    });
    expect([other.status, other.json.code]).toEqual([409, "idempotency_conflict"]);
    const path = `/endpoints/${first.json.id}`;
    const rotation = webhooks.newKey();
    const rotated = await webhooks.call("POST", `${path}/rotate-secret`, { key: rotation });
    const repeated = await webhooks.call("POST", `${path}/rotate-secret`, { key: rotation });
    expect(rotated.json.signing_secret).toMatch(/^whsec_/);
    expect(rotated.json.previous_secret_expires_at).not.toBeNull();
    expect([repeated.isReplay, repeated.json.signing_secret]).toEqual([true, null]);
    const read = await webhooks.call("GET", path);
    expect(JSON.stringify(read.json)).not.toContain("whsec_");
    const listed = await webhooks.call("GET", "/endpoints?limit=100");
    expect(JSON.stringify(listed.json)).not.toContain("whsec_");
  });

  test("signs with both secrets during an overlap, and with one after its early end", async () => {
    const path = newPath();
    const endpoint = await webhooks.active(receiver.url(path));
    const { json } = await webhooks.call("POST", `/endpoints/${endpoint.id}/rotate-secret`);
    const [during] = await received(path, await webhooks.run(workflow));
    expect(during!.headers["webhook-signature"]).toMatch(/^v1,\S+ v1,\S+$/);
    for (const secret of [endpoint.secret, json.signing_secret]) {
      new Webhook(secret).verify(during!.body, during!.headers as never);
    }
    await webhooks.call("POST", `/endpoints/${endpoint.id}/revoke-previous-secret`);
    const [after] = await received(path, await webhooks.run(workflow));
    new Webhook(json.signing_secret).verify(after!.body, after!.headers as never);
    expect(after!.headers["webhook-signature"]).toMatch(/^v1,\S+$/);
  });

  test("holds events while paused and while a new URL is unverified, then sends them to the new one only", async () => {
    const [oldPath, newPath_] = [newPath(), newPath()];
    const { id } = await webhooks.active(receiver.url(oldPath));
    expect((await webhooks.call("POST", `/endpoints/${id}/pause`)).json.status).toBe("paused");
    const paused = await webhooks.run(workflow);
    await delivery(id, paused, ({ status }) => status === "suspended");
    const moved = await webhooks.call("PATCH", `/endpoints/${id}`, {
      body: { url: receiver.url(newPath_) },
    });
    expect(moved.json).toMatchObject({ status: "pending_verification", url_revision: 2 });
    const unproven = await webhooks.run(workflow);
    await delivery(id, unproven, ({ status }) => status === "suspended");
    const early = await webhooks.call("POST", `/endpoints/${id}/activate`);
    expect(early.json.code).toBe("verification_required");
    await webhooks.test(id);
    await webhooks.call("POST", `/endpoints/${id}/activate`);
    await received(newPath_, paused);
    await received(newPath_, unproven);
    const atOld = receiver.at(oldPath).map(({ body }) => body);
    expect(atOld.filter((body) => body.includes(paused) || body.includes(unproven))).toEqual([]);
    const archived = await webhooks.call("DELETE", `/endpoints/${id}`);
    expect(archived.json.status).toBe("archived");
    expect((await webhooks.call("DELETE", `/endpoints/${id}`)).status).toBe(200);
    const patched = await webhooks.call("PATCH", `/endpoints/${id}`, { body: { name: "x" } });
    expect([patched.status, patched.json.code]).toEqual([422, "invalid_state"]);
    const ids = async (query: string) =>
      (await webhooks.call("GET", `/endpoints?limit=100${query}`)).json.data.map(
        (row: { id: string }) => row.id,
      );
    expect(await ids("")).not.toContain(id);
    expect(await ids("&status=archived")).toContain(id);
  });

  test("receives events of its workflows only, and rejects invalid lists", async () => {
    const [path, other] = [newPath(), await webhooks.echoWorkflow()];
    const scope = { workflow_scope: "selected", workflow_ids: [other] };
    const { id } = await webhooks.active(receiver.url(path), scope);
    const unheard = await webhooks.run(workflow);
    const heard = await webhooks.run(other);
    await received(path, heard);
    await service.client.call("GET", `/api/v1/executions/${unheard}`);
    expect(await webhooks.deliveries(`endpoint_id=${id}&execution=${unheard}`)).toEqual([]);
    const codes = async (body: object) => {
      const { status, json } = await webhooks.call("POST", "/endpoints", {
        body: { name: "x", url: receiver.url("/x"), ...body },
      });
      return [status, json.code];
    };
    expect(await codes({ workflow_scope: "selected" })).toEqual([400, "validation_error"]);
    const unknown = `wf_${"0".repeat(12)}7${"0".repeat(19)}`;
    expect(await codes({ workflow_scope: "selected", workflow_ids: [unknown] })).toEqual([
      404,
      "not_found",
    ]);
  });
});

describeOfOneSize("bad input", () => {
  test("is refused: URLs in every hostile spelling, on create and on change", async () => {
    const { id } = await webhooks.create(receiver.url(newPath()));
    for (const url of [...HOSTILE_URLS, ...PUBLIC_LITERAL_URLS]) {
      const created = await webhooks.call("POST", "/endpoints", { body: { name: "x", url } });
      expect([created.status, created.json.code], url).toEqual([400, "invalid_url"]);
    }
    for (const url of [inside.url("/"), "https://user:pw@example.com/", "https://[::1]/"]) {
      const patched = await webhooks.call("PATCH", `/endpoints/${id}`, { body: { url } });
      expect([patched.status, patched.json.code], url).toEqual([400, "invalid_url"]);
      expect(JSON.stringify(patched.json)).not.toContain("pw@");
    }
  });

  test("is refused: missing keys, and keys of 7 and of 256 characters", async () => {
    const { id } = await webhooks.create(receiver.url(newPath()));
    const cases = [
      [null, "missing_idempotency_key"],
      ["k".repeat(7), "invalid_idempotency_key"],
      ["k".repeat(256), "invalid_idempotency_key"],
    ] as const;
    for (const [key, code] of cases) {
      for (const [method, path, body] of [
        ["POST", "/endpoints", { name: "x", url: receiver.url("/x") }],
        ["PATCH", `/endpoints/${id}`, { name: "y" }],
        ["POST", `/endpoints/${id}/test`, undefined],
        ["POST", `/endpoints/${id}/activate`, undefined],
        ["DELETE", `/endpoints/${id}`, undefined],
        ["POST", `/deliveries/whd_${"0".repeat(32)}/replay`, undefined],
      ] as const) {
        const response = await webhooks.call(method, path, { key, body });
        expect([response.status, response.json.code], `${method} ${path}`).toEqual([400, code]);
      }
    }
    for (const key of ["k".repeat(8), "k".repeat(255)]) {
      const response = await webhooks.call("PATCH", `/endpoints/${id}`, {
        key,
        body: { name: key.slice(0, 9) },
      });
      expect(response.status).toBe(200);
    }
  });
});

const FAILURES: readonly [string, ScriptedResponse, Partial<WebhookDelivery["attempts"][0]>][] = [
  ["500", { status: 500, body: "broken" }, { response_status: 500, response_excerpt: "broken" }],
  ["404", { status: 404 }, { response_status: 404 }],
  ["a reset", { fault: "reset" }, { response_status: null, error_code: "connection_failed" }],
  [
    "a closed connection",
    { fault: "close" },
    { response_status: null, error_code: "connection_failed" },
  ],
  ["garbage", { fault: "garbage" }, { response_status: null, error_code: "connection_failed" }],
  ["a hang", { fault: "hang" }, { response_status: null, error_code: "timeout" }],
  ["slow headers", { fault: "slow-headers" }, { response_status: null }],
  ["endless headers", { fault: "endless-headers" }, { response_status: null }],
  // The runtime takes the first of them as the response; a 1xx status is not a success.
  ["a storm of 1xx", { fault: "informational-storm" }, { error_code: "http_error" }],
];

const SUCCESSES: readonly [string, ScriptedResponse][] = [
  ["a body that never ends", { fault: "endless-body" }],
  ["a body that trickles", { fault: "slow-body" }],
  ["a body that is cut off", { fault: "reset-in-body" }],
  ["a gzip bomb", { fault: "gzip-bomb" }],
  ["299", { status: 299, body: "x".repeat(5_000) }],
];

describe("a receiver", () => {
  testInProof(
    "that fails in any way is tried again, with the same id and body and a fresh signature; one that succeeds oddly is not",
    async () => {
      const first: ScriptedResponse = { status: 200 };
      const failing = await Promise.all(
        FAILURES.map(async ([name, response, seen]) => {
          const path = newPath();
          receiver.script(path, first, response, { status: 200 });
          const endpoint = await webhooks.active(receiver.url(path));
          return { ...endpoint, name, path, seen };
        }),
      );
      const odd = await Promise.all(
        SUCCESSES.map(async ([name, response]) => {
          const path = newPath();
          receiver.script(path, first, response, { status: 500 });
          const endpoint = await webhooks.active(receiver.url(path));
          return { ...endpoint, name, path };
        }),
      );
      const redirecting = newPath();
      receiver.script(
        redirecting,
        first,
        { status: 307, headers: { location: inside.url("/stolen") } },
        { status: 200 },
      );
      const moved = await webhooks.active(receiver.url(redirecting));
      const run = await webhooks.run(workflow);
      for (const { id, name, path, seen, secret } of failing) {
        const done = await delivery(id, run, ({ status }) => status === "delivered", 40_000);
        expect(done.attempts[0], name).toMatchObject(seen);
        expect(
          done.attempts.map(({ number }) => number),
          name,
        ).toEqual([1, 2]);
        const requests = receiver.at(path).filter(({ body }) => body.includes(run));
        expect(requests, name).toHaveLength(2);
        expect(requests[1]!.body).toBe(requests[0]!.body);
        expect(requests[1]!.headers["webhook-id"]).toBe(requests[0]!.headers["webhook-id"]);
        expect(requests[1]!.headers["webhook-timestamp"]).not.toBe(
          requests[0]!.headers["webhook-timestamp"],
        );
        new Webhook(secret).verify(requests[1]!.body, requests[1]!.headers as never);
        const failedMs = Date.parse(done.attempts[0]!.started_at) + done.attempts[0]!.duration_ms!;
        const waitedMs = Date.parse(done.attempts[1]!.started_at) - failedMs;
        expect(waitedMs, name).toBeGreaterThanOrEqual(4_000);
        // The second retry comes after 30 s at the earliest.
        expect(waitedMs, name).toBeLessThan(15_000);
      }
      for (const { id, name, path } of odd) {
        const done = await delivery(id, run, ({ status }) => status === "delivered");
        expect(done, name).toMatchObject({ attempt_count: 1 });
        expect(Buffer.byteLength(done.attempts[0]!.response_excerpt), name).toBeLessThanOrEqual(
          1_024,
        );
        expect(
          receiver.at(path).filter(({ body }) => body.includes(run)),
          name,
        ).toHaveLength(1);
      }
      const followed = await delivery(moved.id, run, ({ status }) => status === "delivered");
      expect(followed.attempts[0]).toMatchObject({ response_status: 307, error_code: "redirect" });
      expect(inside.requests).toEqual([]);
    },
    300_000,
  );

  testInProof(
    "that asks to wait is waited for, to the second and to the date",
    async () => {
      const waits = [newPath(), newPath()] as const;
      const until = { ms: 0 };
      receiver.script(
        waits[0],
        { status: 200 },
        { status: 503, headers: { "retry-after": "8" } },
        { status: 200 },
      );
      await webhooks.active(receiver.url(waits[0]));
      until.ms = Math.ceil(Date.now() / 1000) * 1000 + 9_000;
      receiver.script(
        waits[1],
        { status: 200 },
        { status: 429, headers: { "retry-after": new Date(until.ms).toUTCString() } },
        { status: 200 },
      );
      await webhooks.active(receiver.url(waits[1]));
      const run = await webhooks.run(workflow);
      const [first, second] = (await received(waits[0], run, 2, 20_000)) as ReceivedRequest[];
      expect(second!.atMs - first!.atMs).toBeGreaterThanOrEqual(8_000);
      const [, later] = await received(waits[1], run, 2, 20_000);
      expect(later!.atMs).toBeGreaterThanOrEqual(until.ms);
      const forbidding = newPath();
      receiver.script(
        forbidding,
        { status: 200 },
        { status: 503, headers: { "retry-after": "86401" } },
      );
      const never = await webhooks.active(receiver.url(forbidding));
      const last = await webhooks.run(workflow);
      const given = await delivery(never.id, last, ({ status }) => status === "exhausted");
      expect(given.next_attempt_at).toBeNull();
    },
    300_000,
  );

  test("that is gone disables its endpoint; retry and replay require a new verification and send the same bytes", async () => {
    const path = newPath();
    receiver.script(path, { status: 200 }, { status: 410 }, { status: 200 });
    const { id } = await webhooks.active(receiver.url(path));
    const run = await webhooks.run(workflow);
    const gone = await delivery(id, run, ({ status }) => status === "exhausted");
    const endpoint = (await webhooks.call("GET", `/endpoints/${id}`)).json;
    expect(endpoint).toMatchObject({ status: "disabled", verified_at: null });
    expect(endpoint.disabled_reason).toContain("410");
    const retry = `/deliveries/${gone.id}/retry`;
    expect((await webhooks.call("POST", retry)).json.code).toBe("invalid_state");
    await webhooks.test(id);
    await webhooks.call("POST", `/endpoints/${id}/activate`);
    const key = webhooks.newKey();
    expect((await webhooks.call("POST", retry, { key })).status).toBe(202);
    const [first, second] = await received(path, run, 2);
    expect(second!.body).toBe(first!.body);
    await delivery(id, run, ({ status }) => status === "delivered");
    expect((await webhooks.call("POST", retry, { key })).isReplay).toBe(true);
    const refused = await webhooks.call("POST", retry);
    expect([refused.status, refused.json.code]).toEqual([422, "delivery_not_retryable"]);
    expect((await webhooks.call("POST", `/deliveries/${gone.id}/replay`)).status).toBe(202);
    const [, , third] = await received(path, run, 3);
    expect([third!.body, third!.headers["webhook-id"]]).toEqual([
      first!.body,
      first!.headers["webhook-id"],
    ]);
  });

  test("that fails its test changes nothing and is not disabled by 410", async () => {
    const path = newPath();
    const { id } = await webhooks.active(receiver.url(path));
    receiver.script(path, { status: 410 });
    const failed = await webhooks.test(id);
    expect(failed).toMatchObject({ outcome: "failed", attempt: { response_status: 410 } });
    expect(failed.endpoint.status).toBe("active");
    expect(failed.endpoint.verified_at).not.toBeNull();
    expect(failed.delivery).toMatchObject({
      status: "exhausted",
      attempt_count: 1,
      execution: null,
    });
  });

  test("that hangs, with a backlog, does not delay another", async () => {
    const [slow, quick] = [newPath(), newPath()];
    receiver.script(slow, { status: 200 }, { fault: "hang" });
    await webhooks.active(receiver.url(slow));
    const { id } = await webhooks.active(receiver.url(quick));
    const runs: string[] = [];
    for (let i = 0; i < 20; i += 1) {
      runs.push(await webhooks.run(workflow, `run ${i}`));
    }
    for (const run of runs) {
      const done = await delivery(id, run, ({ status }) => status === "delivered");
      const tookMs = Date.parse(done.delivered_at!) - Date.parse(done.created_at);
      expect(tookMs).toBeLessThan(5_000);
    }
    expect(receiver.at(slow).length, "four in flight, and the test").toBe(5);
  });
});

test("an event for many and large outputs stays within 20 KiB and reports the omission", async () => {
  const path = newPath();
  await webhooks.active(receiver.url(path));
  const run = await webhooks.run(workflow, "y".repeat(30_000));
  const [request] = await received(path, run);
  expect(Buffer.byteLength(request!.body)).toBeLessThanOrEqual(20 * 1024);
  const { data } = JSON.parse(request!.body);
  expect(data).toMatchObject({
    outputs_truncated: true,
    outputs: [{ key: "out", value: null, parse: { status: "too_large" } }],
  });
  expect(await (await fetch(data.outputs[0].url)).text()).toBe("y".repeat(30_000));
});

test("lists of deliveries and activity are complete, newest first, page by page", async () => {
  const seen: string[] = [];
  for (let after = ""; ;) {
    const { json } = await webhooks.call("GET", `/deliveries?limit=7${after}`);
    seen.push(...json.data.map((row: { id: string }) => row.id));
    if (!json.has_more) {
      expect(json.next_cursor).toBeNull();
      expect(seen.length).toBe(json.total_count);
      break;
    }
    after = `&starting_after=${json.next_cursor}`;
  }
  expect(new Set(seen).size).toBe(seen.length);
  expect(seen).toEqual(seen.toSorted().toReversed());
  const { json } = await webhooks.call("GET", "/activity?limit=100");
  const types = new Set(json.data.map((row: { type: string }) => row.type));
  expect(types.has("delivery.delivered")).toBe(true);
  const bad = await webhooks.call("GET", "/deliveries?status=lost");
  expect([bad.status, bad.json.code]).toEqual([400, "invalid_status"]);
});

it("a kill at any moment loses no event, and the service finishes without requests", async () => {
  const path = newPath();
  receiver.script(path, { status: 200 }, { status: 200, delayMs: 150 });
  const { id } = await webhooks.active(receiver.url(path));
  const kills = sizeOf("deliveryKills");
  const startedAt = new Date(Date.now() - 1).toISOString();
  let accepted = 0;
  for (let kill = 0; kill < kills; kill += 1) {
    // The first submit after a boot is slow; the kill must happen after it.
    await webhooks.run(workflow, `kill ${kill}`);
    let answered = 0;
    const sending = Array.from({ length: 12 }, () =>
      // Interrupted before its response: the list shows whether it was accepted.
      webhooks.run(workflow, `kill ${kill}`).then(
        () => (answered += 1),
        () => undefined,
      ),
    );
    const enough = 1 + ((kill * 5) % 11);
    await waitUntil("submits to be answered", () => Promise.resolve(answered >= enough));
    await new Promise((resolve) => setTimeout(resolve, (kill * 7) % 40));
    await service.kill();
    await Promise.all(sending);
    accepted += 1 + answered;
    service = await boot({ directory: service.directory, port: service.port });
    webhooks = new WebhookClient(service);
  }
  const runs = await listedRuns(startedAt);
  expect(runs.length, "runs whose submits were answered").toBeGreaterThanOrEqual(accepted);
  for (const run of runs) {
    await received(path, run, 1, 30_000);
    await delivery(id, run, ({ status }) => status === "delivered", 30_000);
  }
  const ids = new Map<string, Set<string>>();
  for (const { body, headers } of receiver.at(path)) {
    const subject = String(JSON.parse(body).subject);
    ids.set(subject, (ids.get(subject) ?? new Set()).add(headers["webhook-id"]!));
  }
  for (const [subject, own] of ids) {
    expect(own.size, `${subject} has one webhook-id however often it came`).toBe(1);
  }
});

/** Every run since then, whether or not its submit received a response. */
async function listedRuns(since: string): Promise<string[]> {
  const ids: string[] = [];
  for (let after = ""; ;) {
    const page = await service.client.call<{
      data: { id: string }[];
      next_cursor: string | null;
    }>("GET", `/api/v1/executions?limit=100&created_after=${since}${after}`);
    ids.push(...page.data.map(({ id }) => id));
    if (page.next_cursor === null) {
      return ids;
    }
    after = `&starting_after=${page.next_cursor}`;
  }
}

import { describe, expect, test } from "vitest";
import { DeliveryScheduler } from "../../../src/domain/webhooks/deliveries/delivery-scheduler.ts";
import type { WebhookEvent } from "../../../src/domain/webhooks/deliveries/open-delivery.ts";
import type { AttemptOutcome } from "../../../src/domain/webhooks/deliveries/delivery-record.ts";
import type { EndpointRecord } from "../../../src/domain/webhooks/endpoints/endpoint-record.ts";
import { MemorySchedulerRows } from "../../simulation/webhooks/memory-scheduler-rows.ts";
import { endpointRecord } from "./endpoint-record.ts";

function scheduler(record: Partial<EndpointRecord> = {}) {
  const rows = new MemorySchedulerRows(endpointRecord(record));
  const clock = { nowMs: 1_800_000_000_000, boot: "a" };
  let ids = 0;
  const make = () =>
    new DeliveryScheduler(rows, {
      nowMs: () => clock.nowMs,
      random: () => 0.5,
      newDeliveryId: () => `whd_${ids++}`,
      boot: clock.boot,
    });
  return { rows, clock, scheduler: make(), make };
}

function event(number: number, more: Partial<WebhookEvent> = {}): WebhookEvent {
  return {
    event_id: `evt_${number}`,
    event_type: "com.svc.execution.finished.v1",
    execution: `run_${number}`,
    workflow_id: "wf_1",
    body: "{}",
    ...more,
  };
}

function response(status: number | null, retryAfter: string | null = null): AttemptOutcome {
  return {
    duration_ms: 5,
    response_status: status,
    error_code: status === null ? "timeout" : null,
    response_excerpt: "",
    retry_after: retryAfter,
  };
}

describe("an event from a run", () => {
  test.each([
    [{}, "pending"],
    [{ status: "paused" }, "suspended"],
    [{ status: "pending_verification", url_revision: 2, verified_revision: null }, "suspended"],
    [{ status: "pending_verification", verified_revision: null, was_verified: false }, undefined],
    [
      {
        status: "pending_verification",
        url_revision: 2,
        verified_revision: null,
        was_verified: false,
      },
      undefined,
    ],
    [{ status: "disabled" }, undefined],
    [{ status: "archived" }, undefined],
    [{ workflow_scope: "selected", workflow_ids: ["wf_1"] }, "pending"],
    [{ workflow_scope: "selected", workflow_ids: ["wf_2"] }, undefined],
  ] as const)("at an endpoint with %j becomes %s", (record, status) => {
    const { rows, scheduler: it } = scheduler(record as Partial<EndpointRecord>);
    expect(it.accept(event(1))).toBe(status !== undefined);
    expect(rows.all()[0]?.status).toBe(status);
  });

  test("creates one delivery, however often it is sent", () => {
    const { rows, scheduler: it } = scheduler();
    expect([it.accept(event(1)), it.accept(event(1))]).toEqual([true, true]);
    expect(rows.all()).toHaveLength(1);
  });
});

describe("a delivery", () => {
  test("has one attempt in flight, and its endpoint at most four", () => {
    const { scheduler: it } = scheduler();
    for (let i = 0; i < 10; i++) {
      it.accept(event(i));
    }
    expect(it.claim(3)).toHaveLength(3);
    expect(it.claim(4)).toHaveLength(1);
    expect(it.claim(4)).toHaveLength(0);
    expect(it.hasWork).toBe(false);
  });

  test("ignores a report whose lease has ended", () => {
    const { rows, clock, scheduler: it } = scheduler();
    it.accept(event(1));
    const [first] = it.claim(1);
    clock.nowMs += 31_000;
    it.sweep();
    expect(rows.find("whd_0")).toMatchObject({ status: "retrying", failures: 1, attempt_count: 1 });
    clock.nowMs += 10_000;
    const [second] = it.claim(1);
    expect(it.report("whd_0", first!.delivery.fence, response(200))).toBe(false);
    expect(rows.find("whd_0")?.status).toBe("retrying");
    expect(it.report("whd_0", second!.delivery.fence, response(200))).toBe(true);
    expect(it.report("whd_0", second!.delivery.fence, response(500))).toBe(false);
    expect(rows.find("whd_0")).toMatchObject({ status: "delivered", attempt_count: 2 });
    expect(rows.attempts("whd_0").map(({ error_code: code }) => code)).toEqual([
      "interrupted",
      null,
    ]);
  });

  test("is retried at once after a restart of the service, which does not count as a failure", () => {
    const { rows, clock, scheduler: it, make } = scheduler();
    it.accept(event(1));
    it.claim(1);
    clock.boot = "b";
    const next = make();
    next.sweep();
    expect(rows.find("whd_0")).toMatchObject({ failures: 0, next_attempt_at_ms: clock.nowMs });
    expect(next.claim(1)).toHaveLength(1);
  });

  test("that gets 410 is exhausted and disables the endpoint; others wait and resume", () => {
    const { rows, clock, scheduler: it } = scheduler();
    it.accept(event(1));
    it.accept(event(2));
    const [first] = it.claim(1);
    it.report(first!.delivery.id, first!.delivery.fence, response(410));
    expect(rows.endpoint().status).toBe("disabled");
    expect(rows.all().map(({ status }) => status)).toEqual(["exhausted", "suspended"]);
    expect(it.claim(4)).toEqual([]);
    const test1 = it.beginTest(event(3));
    if (!test1.ok) {
      throw new Error(test1.code);
    }
    it.report(test1.value.delivery.id, 1, response(204));
    it.apply({ type: "activate" });
    clock.nowMs += 1;
    expect(it.claim(4).map(({ delivery }) => delivery.id)).toEqual(["whd_1"]);
  });

  test("waits for a Retry-After through a pause, but not after a change of the URL", () => {
    const { clock, scheduler: it } = scheduler();
    it.accept(event(1));
    const [first] = it.claim(1);
    it.report(first!.delivery.id, 1, response(503, "600"));
    it.apply({ type: "pause" });
    it.apply({ type: "activate" });
    expect(it.claim(1)).toEqual([]);
    expect(it.nextDueMs).toBe(clock.nowMs + 600_000);
    it.apply({ type: "patch", changes: { url: "https://b.example/" } });
    const proof = it.beginTest(event(2));
    it.report(proof.ok ? proof.value.delivery.id : "", 1, response(200));
    it.apply({ type: "activate" });
    expect(it.claim(1).map(({ url }) => url)).toEqual(["https://b.example/"]);
  });

  test("in flight while the URL changes is sent to the new one next, never to the old", () => {
    const { rows, scheduler: it } = scheduler();
    it.accept(event(1));
    const [first] = it.claim(1);
    it.apply({ type: "patch", changes: { url: "https://b.example/" } });
    it.report(first!.delivery.id, 1, response(410));
    expect(rows.endpoint().status).toBe("pending_verification");
    expect(rows.find("whd_0")).toMatchObject({ status: "suspended", failures: 0 });
  });

  test("held back past its deadline is exhausted, and its time is set in the alarm", () => {
    const { rows, clock, scheduler: it } = scheduler({ status: "paused" });
    it.accept(event(1));
    expect(it.nextDueMs).toBe(clock.nowMs + 24 * 3_600_000);
    clock.nowMs += 24 * 3_600_000;
    it.sweep();
    expect(rows.find("whd_0")?.status).toBe("exhausted");
    expect(it.nextDueMs).toBeNull();
  });

  test("of an archived endpoint is cancelled, one in flight when it reports a failure", () => {
    const { rows, scheduler: it } = scheduler();
    it.accept(event(1));
    it.accept(event(2));
    const [first] = it.claim(1);
    it.apply({ type: "archive" });
    expect(rows.find("whd_1")?.status).toBe("cancelled");
    it.report(first!.delivery.id, 1, response(500));
    expect(rows.find("whd_0")?.status).toBe("cancelled");
  });
});

describe("sending again", () => {
  test("accepts final deliveries only: exhausted ones for a retry, delivered ones too for a replay", () => {
    const { rows, clock, scheduler: it } = scheduler();
    const code = (kind: "retry" | "replay") => {
      const result = it.resend("whd_0", kind);
      return result.ok ? "ok" : result.code;
    };
    expect(code("retry")).toBe("not_found");
    it.accept(event(1));
    expect([code("retry"), code("replay")]).toEqual([
      "delivery_not_retryable",
      "delivery_not_retryable",
    ]);
    it.claim(1);
    it.report("whd_0", 1, response(200));
    expect(code("retry")).toBe("delivery_not_retryable");
    clock.nowMs += 48 * 3_600_000;
    expect(code("replay")).toBe("ok");
    expect(rows.find("whd_0")).toMatchObject({
      status: "retrying",
      event_id: "evt_1",
      deadline_at_ms: clock.nowMs + 24 * 3_600_000,
    });
    const [again] = it.claim(1);
    it.report("whd_0", again!.delivery.fence, response(201));
    expect(rows.find("whd_0")).toMatchObject({ status: "delivered", attempt_count: 2 });
    expect(rows.attempts("whd_0").map(({ number }) => number)).toEqual([1, 2]);
  });

  test("is rejected for tests, and if nothing may be sent", () => {
    const { scheduler: it } = scheduler();
    const proof = it.beginTest(event(1));
    it.report(proof.ok ? proof.value.delivery.id : "", 1, response(500));
    expect(it.resend("whd_0", "replay")).toMatchObject({ code: "delivery_not_retryable" });
    it.accept(event(2));
    it.claim(1);
    it.report("whd_1", 1, response(200));
    it.apply({ type: "pause" });
    expect(it.resend("whd_1", "replay")).toMatchObject({
      ok: true,
      value: { status: "suspended" },
    });
    it.apply({ type: "archive" });
    expect(it.resend("whd_1", "replay")).toMatchObject({ ok: false });
  });
});

test("a test makes one attempt, follows no schedule and disables nothing", () => {
  for (const status of [500, 410, 302, null]) {
    const { rows, scheduler: it } = scheduler();
    const begun = it.beginTest(event(1));
    it.report(begun.ok ? begun.value.delivery.id : "", 1, response(status));
    expect(rows.all()[0]).toMatchObject({ status: "exhausted", attempt_count: 1 });
    expect(rows.endpoint()).toMatchObject({ status: "active", verified_revision: 1 });
    expect(it.nextDueMs).toBeNull();
  }
});

import { describe, expect, test } from "vitest";
import {
  decideEndpoint,
  type EndpointAction,
} from "../../../src/domain/webhooks/endpoints/decide-endpoint.ts";
import {
  endpointView,
  signingSecrets,
} from "../../../src/domain/webhooks/endpoints/endpoint-record.ts";
import { listeningOf, widened } from "../../../src/domain/webhooks/endpoints/listening.ts";
import { endpointRecord } from "./endpoint-record.ts";

const T = 1_800_000_000_000;

function after(record: ReturnType<typeof endpointRecord>, action: EndpointAction, nowMs = T) {
  const decision = decideEndpoint(record, action, nowMs);
  if (decision.kind !== "changed") {
    throw new Error(`${action.type} is ${JSON.stringify(decision)}`);
  }
  return decision;
}
const kindOf = (record: ReturnType<typeof endpointRecord>, action: EndpointAction) => {
  const decision = decideEndpoint(record, action, T);
  return decision.kind === "refused" ? decision.code : decision.kind;
};

describe("an endpoint", () => {
  const fresh = endpointRecord({ status: "pending_verification", verified_revision: null });
  const active = endpointRecord({});
  const paused = endpointRecord({ status: "paused" });

  test("is activated only after a test of its current URL has passed", () => {
    expect(kindOf(fresh, { type: "activate" })).toBe("verification_required");
    const tested = after(fresh, { type: "test-passed", revision: 1 }).record;
    expect(tested).toMatchObject({ status: "pending_verification", verified_at_ms: T });
    expect(after(tested, { type: "activate" })).toMatchObject({
      record: { status: "active" },
      deliveries: "resume",
    });
  });

  test("ignores a test of a URL that was replaced in the meantime", () => {
    const moved = after(active, { type: "patch", changes: { url: "https://b.example/" } }).record;
    expect(kindOf(moved, { type: "test-passed", revision: 1 })).toBe("unchanged");
    expect(kindOf(moved, { type: "activate" })).toBe("verification_required");
  });

  test("gets a new revision and must be tested again when its URL changes, from any state", () => {
    for (const status of ["active", "paused", "disabled", "pending_verification"] as const) {
      const before = endpointRecord({ status });
      const decision = after(before, { type: "patch", changes: { url: "https://b.example/" } });
      expect(decision, status).toMatchObject({
        record: {
          status: "pending_verification",
          url: "https://b.example/",
          url_revision: 2,
          verified_revision: null,
          verified_at_ms: null,
          disabled_reason: null,
        },
        deliveries: "redirect",
      });
    }
  });

  test("keeps its revision if the same URL is given again", () => {
    expect(kindOf(active, { type: "patch", changes: { url: active.url } })).toBe("unchanged");
    const renamed = after(active, { type: "patch", changes: { url: active.url, name: "New" } });
    expect(renamed).toMatchObject({
      record: { url_revision: 1, status: "active", name: "New" },
      deliveries: "keep",
    });
  });

  test("is paused from active, and resumed without a new test", () => {
    expect(after(active, { type: "pause" })).toMatchObject({
      record: { status: "paused" },
      deliveries: "suspend",
    });
    expect(kindOf(paused, { type: "pause" })).toBe("unchanged");
    expect(after(paused, { type: "activate" }).record.status).toBe("active");
    expect(kindOf(active, { type: "activate" })).toBe("unchanged");
    for (const status of ["pending_verification", "disabled"] as const) {
      expect(kindOf(endpointRecord({ status }), { type: "pause" }), status).toBe("invalid_state");
    }
  });

  test("is disabled by 410 and can be activated by a test that passes after it", () => {
    const gone = after(active, { type: "gone", revision: 1 });
    expect(gone).toMatchObject({ record: { status: "disabled" }, deliveries: "suspend" });
    expect(gone.record.disabled_reason).toContain("410");
    expect(kindOf(gone.record, { type: "activate" })).toBe("verification_required");
    const proved = after(gone.record, { type: "test-passed", revision: 1 }).record;
    expect(after(proved, { type: "activate" }).record).toMatchObject({
      status: "active",
      disabled_reason: null,
    });
    const moved = endpointRecord({ url_revision: 2 });
    expect(kindOf(moved, { type: "gone", revision: 1 }), "of an old URL").toBe("unchanged");
  });

  test("is archived permanently", () => {
    const archived = after(active, { type: "archive" });
    expect(archived).toMatchObject({ record: { status: "archived" }, deliveries: "cancel" });
    expect(kindOf(archived.record, { type: "archive" })).toBe("unchanged");
    const others: EndpointAction[] = [
      { type: "activate" },
      { type: "pause" },
      { type: "rotate-secret", secret: "whsec_x" },
      { type: "revoke-previous-secret" },
      { type: "patch", changes: { name: "x" } },
      { type: "test-passed", revision: 1 },
    ];
    for (const action of others) {
      expect(kindOf(archived.record, action), action.type).toBe("invalid_state");
    }
  });

  test("signs with two secrets for a day after a rotation, never with three", () => {
    const once = after(active, { type: "rotate-secret", secret: "whsec_2" }).record;
    expect(signingSecrets(once, T + 1)).toEqual(["whsec_2", "whsec_1"]);
    const day = 24 * 3_600_000;
    expect(signingSecrets(once, T + day)).toEqual(["whsec_2"]);
    const twice = after(once, { type: "rotate-secret", secret: "whsec_3" }).record;
    expect(signingSecrets(twice, T + 1)).toEqual(["whsec_3", "whsec_2"]);
    const revoked = after(twice, { type: "revoke-previous-secret" }).record;
    expect(signingSecrets(revoked, T + 1)).toEqual(["whsec_3"]);
    expect(kindOf(revoked, { type: "revoke-previous-secret" })).toBe("unchanged");
  });

  test("never shows a secret in its view", () => {
    const rotated = after(active, { type: "rotate-secret", secret: "whsec_2" }).record;
    const view = endpointView(rotated, T);
    expect(JSON.stringify(view)).not.toContain("whsec_");
    expect(view.previous_secret_expires_at).toBe(new Date(T + 24 * 3_600_000).toISOString());
    expect(endpointView(rotated, T + 24 * 3_600_000).previous_secret_expires_at).toBeNull();
  });

  test("is reported to the workspace before its scope widens, and covers the old and the new one", () => {
    const all = listeningOf(active);
    const some = listeningOf(
      endpointRecord({ workflow_scope: "selected", workflow_ids: ["wf_1", "wf_2"] }),
    );
    const other = listeningOf(
      endpointRecord({ workflow_scope: "selected", workflow_ids: ["wf_2", "wf_3"] }),
    );
    const off = listeningOf(endpointRecord({ status: "disabled" }));
    expect(widened(off, some)).toEqual(some);
    expect(widened(some, all)).toEqual(all);
    expect(widened(some, other)?.workflow_ids).toEqual(["wf_1", "wf_2", "wf_3"]);
    for (const [before, next] of [
      [all, some],
      [all, off],
      [some, some],
    ] as const) {
      expect(widened(before, next)).toBeNull();
    }
  });
});

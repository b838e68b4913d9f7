import type { WebhookScope } from "../../../contracts/webhooks/webhook.ts";
import type { ErrorCode } from "../../../lib/errors/errors.ts";
import type { EndpointRecord } from "./endpoint-record.ts";
import { LIMITS } from "../../../lib/limits/limits-table.ts";

/** docs/contract/webhooks.md#endpoints */
export const ROTATION_OVERLAP_MS = LIMITS.webhook_secret_overlap.value;

export interface EndpointChanges {
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly url?: string | undefined;
  readonly workflow_scope?: WebhookScope | undefined;
  readonly workflow_ids?: readonly string[] | undefined;
  readonly event_types?: readonly string[] | undefined;
}

export type EndpointAction =
  | { readonly type: "patch"; readonly changes: EndpointChanges }
  | { readonly type: "activate" | "pause" | "archive" | "revoke-previous-secret" }
  | { readonly type: "rotate-secret"; readonly secret: string }
  /** Outcomes of attempts to the URL of that revision. */
  | { readonly type: "test-passed" | "gone"; readonly revision: number };

export type EndpointDecision =
  | { readonly kind: "refused"; readonly code: ErrorCode; readonly message: string }
  /**
   * The endpoint is already in this state: a success without effect
   * (docs/contract/webhooks.md#transitions).
   */
  | { readonly kind: "unchanged" }
  | {
      readonly kind: "changed";
      readonly record: EndpointRecord;
      /** Effect on deliveries that have not ended. `redirect` suspends them for another URL. */
      readonly deliveries: "keep" | "suspend" | "redirect" | "resume" | "cancel";
      readonly activity: string;
    };

/** Every transition of an endpoint (docs/contract/webhooks.md#transitions). Pure. */
export function decideEndpoint(
  record: EndpointRecord,
  action: EndpointAction,
  nowMs: number,
): EndpointDecision {
  if (record.status === "archived") {
    return action.type === "archive"
      ? { kind: "unchanged" }
      : refuse(
          "invalid_state",
          `The endpoint ${record.id} is archived and cannot be restored. Create a new one.`,
        );
  }
  const changed = (
    changes: Partial<EndpointRecord>,
    activity: string,
    deliveries: Extract<EndpointDecision, { kind: "changed" }>["deliveries"] = "keep",
  ): EndpointDecision => ({
    kind: "changed",
    record: { ...record, ...changes, updated_at_ms: nowMs },
    deliveries,
    activity,
  });
  switch (action.type) {
    case "patch":
      return patch(record, action.changes, changed);
    case "activate":
      return activate(record, changed);
    case "pause":
      if (record.status === "paused") {
        return { kind: "unchanged" };
      }
      return record.status === "active"
        ? changed({ status: "paused" }, "endpoint.paused", "suspend")
        : refuse(
            "invalid_state",
            `The endpoint ${record.id} is ${record.status}; only an active one can be paused. Nothing is sent to this endpoint now.`,
          );
    case "archive":
      return changed(
        { status: "archived", previous_secret: null, previous_secret_expires_at_ms: null },
        "endpoint.archived",
        "cancel",
      );
    case "rotate-secret":
      // A second rotation during an overlap drops the oldest secret (docs/contract/webhooks.md#transitions).
      return changed(
        {
          secret: action.secret,
          previous_secret: record.secret,
          previous_secret_expires_at_ms: nowMs + ROTATION_OVERLAP_MS,
        },
        "endpoint.secret_rotated",
      );
    case "revoke-previous-secret":
      return record.previous_secret === null
        ? { kind: "unchanged" }
        : changed(
            { previous_secret: null, previous_secret_expires_at_ms: null },
            "endpoint.previous_secret_revoked",
          );
    case "test-passed":
      // A test of a URL that was replaced in the meantime says nothing about the new one.
      return action.revision === record.url_revision
        ? changed(
            { verified_revision: action.revision, verified_at_ms: nowMs, was_verified: true },
            "endpoint.verified",
          )
        : { kind: "unchanged" };
    case "gone":
      return action.revision === record.url_revision &&
        (record.status === "active" || record.status === "paused")
        ? changed(
            {
              status: "disabled",
              disabled_reason: "The receiver returned 410 Gone.",
              // It can be activated by a test that passes after this, not by an earlier one.
              verified_revision: null,
              verified_at_ms: null,
            },
            "endpoint.disabled",
            "suspend",
          )
        : { kind: "unchanged" };
  }
}

type Changed = (
  changes: Partial<EndpointRecord>,
  activity: string,
  deliveries?: Extract<EndpointDecision, { kind: "changed" }>["deliveries"],
) => EndpointDecision;

function patch(record: EndpointRecord, given: EndpointChanges, changed: Changed): EndpointDecision {
  const scope = given.workflow_scope ?? record.workflow_scope;
  const ids = scope === "all" && given.workflow_ids === undefined ? [] : given.workflow_ids;
  const next: Partial<EndpointRecord> = {
    name: given.name ?? record.name,
    description: given.description ?? record.description,
    workflow_scope: scope,
    workflow_ids: ids ?? record.workflow_ids,
    event_types: given.event_types ?? record.event_types,
  };
  if (given.url === undefined || given.url === record.url) {
    const isSame = (Object.keys(next) as (keyof EndpointRecord)[]).every(
      (key) => JSON.stringify(next[key]) === JSON.stringify(record[key]),
    );
    return isSame ? { kind: "unchanged" } : changed(next, "endpoint.updated");
  }
  return changed(
    {
      ...next,
      url: given.url,
      url_revision: record.url_revision + 1,
      status: "pending_verification",
      disabled_reason: null,
      verified_revision: null,
      verified_at_ms: null,
    },
    "endpoint.url_changed",
    "redirect",
  );
}

function activate(record: EndpointRecord, changed: Changed): EndpointDecision {
  if (record.status === "active") {
    return { kind: "unchanged" };
  }
  // A paused endpoint resumes without a new test, because its URL has not changed since the last
  // one.
  if (record.verified_revision !== record.url_revision) {
    return refuse(
      "verification_required",
      `The current URL of ${record.id} (revision ${record.url_revision}) has not passed a test. POST /api/v1/webhooks/endpoints/${record.id}/test, then activate.`,
    );
  }
  return changed({ status: "active", disabled_reason: null }, "endpoint.activated", "resume");
}

function refuse(code: ErrorCode, message: string): EndpointDecision {
  return { kind: "refused", code, message };
}

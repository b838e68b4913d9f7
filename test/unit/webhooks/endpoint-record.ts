import type { EndpointRecord } from "../../../src/domain/webhooks/endpoints/endpoint-record.ts";

/** An active endpoint for every event, with the given fields replaced. */
export function endpointRecord(more: Partial<EndpointRecord>): EndpointRecord {
  return {
    id: "whe_1",
    workspace_id: "ws_1",
    name: "Test",
    description: "",
    url: "https://a.example/",
    url_revision: 1,
    status: "active",
    disabled_reason: null,
    workflow_scope: "all",
    workflow_ids: [],
    event_types: ["com.svc.execution.finished.v1"],
    verified_revision: 1,
    verified_at_ms: 1,
    was_verified: true,
    created_at_ms: 1,
    updated_at_ms: 1,
    secret: "whsec_1",
    previous_secret: null,
    previous_secret_expires_at_ms: null,
    ...more,
  };
}

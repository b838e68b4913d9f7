import { env } from "cloudflare:workers";
import { unwrap } from "../../src/lib/result.ts";
import { newId } from "../../src/platform/ids.ts";
import { webhookEndpointObject } from "../../src/storage/objects/webhook-endpoint-object.ts";

/** An endpoint that receives events of these workflows, by default of every one of the workspace, and its id. */
export async function activeEndpoint(
  workspaceId: string,
  eventTypes: readonly string[] = ["com.svc.execution.finished.v1"],
  workflowIds: readonly string[] = [],
) {
  const id = newId("webhookEndpoint", Date.now());
  const endpoint = webhookEndpointObject({ env }, id);
  await endpoint.create({
    v: 1,
    id,
    workspace_id: workspaceId,
    base_url: "https://svc.test",
    name: "Test",
    description: "",
    url: "https://receiver.example/",
    workflow_scope: workflowIds.length === 0 ? "all" : "selected",
    workflow_ids: workflowIds,
    event_types: eventTypes,
    created_at_ms: Date.now(),
  });
  const idempotency = (key: string) => ({ key, fingerprint: "" });
  const begun = unwrap(await endpoint.beginTest({ v: 1, idempotency: idempotency("test") }));
  if (begun.kind === "begun") {
    const outcome = {
      duration_ms: 1,
      response_status: 204,
      error_code: null,
      response_excerpt: "",
      retry_after: null,
    };
    const { delivery_id, fence } = begun.attempt;
    await endpoint.report({ v: 1, delivery_id, fence, outcome, max: 0 });
  }
  const change = { type: "activate" } as const;
  unwrap(await endpoint.change({ v: 1, change, idempotency: idempotency("activate") }));
  return { id, endpoint };
}

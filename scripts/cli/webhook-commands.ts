import type * as z from "zod";
import type {
  CreateWebhookEndpoint,
  PatchWebhookEndpoint,
} from "../../src/contracts/webhooks/webhook.ts";
import { type Command, fieldsOf } from "./command.ts";
import { get, PAGE_QUERY } from "./route-commands.ts";

export const WEBHOOK_COMMANDS: readonly Command[] = [
  {
    words: "webhooks list",
    about: "List webhook endpoints",
    columns: ["id", "name", "url", "status", "workflow_scope"],
    route: {
      operation: "listWebhookEndpoints",
      method: "GET",
      path: "/api/v1/webhooks/endpoints",
      query: [...PAGE_QUERY, "status"],
    },
  },
  {
    words: "webhooks create",
    about: "Create an endpoint; its secret is shown once",
    route: {
      operation: "createWebhookEndpoint",
      method: "POST",
      path: "/api/v1/webhooks/endpoints",
      needsKey: true,
      fields: fieldsOf<z.input<typeof CreateWebhookEndpoint>>()(endpointFields()),
    },
  },
  get(
    "webhooks get",
    "ID",
    "Show an endpoint",
    "getWebhookEndpoint",
    "/api/v1/webhooks/endpoints/{id}",
  ),
  {
    words: "webhooks update",
    args: "ID",
    about: "Change an endpoint",
    route: {
      operation: "patchWebhookEndpoint",
      method: "PATCH",
      path: "/api/v1/webhooks/endpoints/{id}",
      needsKey: true,
      fields: fieldsOf<z.input<typeof PatchWebhookEndpoint>>()(endpointFields()),
    },
  },
  mutation("webhooks delete", "Archive an endpoint", "archiveWebhookEndpoint", "DELETE", ""),
  mutation("webhooks test", "Send a signed test", "testWebhookEndpoint", "POST", "/test"),
  mutation(
    "webhooks activate",
    "Activate an endpoint",
    "activateWebhookEndpoint",
    "POST",
    "/activate",
  ),
  mutation("webhooks pause", "Pause an endpoint", "pauseWebhookEndpoint", "POST", "/pause"),
  mutation(
    "webhooks rotate-secret",
    "Create a new secret; it is shown once",
    "rotateWebhookSecret",
    "POST",
    "/rotate-secret",
  ),
  mutation(
    "webhooks revoke-secret",
    "End the overlap of a rotation",
    "revokePreviousWebhookSecret",
    "POST",
    "/revoke-previous-secret",
  ),
  {
    words: "webhooks deliveries",
    about: "List deliveries",
    columns: ["id", "endpoint_id", "event_type", "status", "attempt_count", "created_at"],
    route: {
      operation: "listWebhookDeliveries",
      method: "GET",
      path: "/api/v1/webhooks/deliveries",
      query: [...PAGE_QUERY, "endpoint_id", "status", "execution", "event_type"],
    },
  },
  get(
    "webhooks delivery",
    "ID",
    "Show a delivery and its attempts",
    "getWebhookDelivery",
    "/api/v1/webhooks/deliveries/{id}",
  ),
  {
    words: "webhooks retry",
    args: "DELIVERY",
    about: "Retry an exhausted delivery",
    route: {
      operation: "retryWebhookDelivery",
      method: "POST",
      path: "/api/v1/webhooks/deliveries/{id}/retry",
      needsKey: true,
    },
  },
  {
    words: "webhooks replay",
    args: "DELIVERY",
    about: "Resend a delivered or exhausted delivery",
    route: {
      operation: "replayWebhookDelivery",
      method: "POST",
      path: "/api/v1/webhooks/deliveries/{id}/replay",
      needsKey: true,
    },
  },
  {
    words: "webhooks activity",
    about: "List the activity of endpoints and deliveries",
    columns: ["at", "type", "endpoint_id", "delivery_id"],
    route: {
      operation: "listWebhookActivity",
      method: "GET",
      path: "/api/v1/webhooks/activity",
      query: [...PAGE_QUERY, "endpoint_id"],
    },
  },
];

function endpointFields() {
  return {
    name: ["name", "text"],
    url: ["url", "text"],
    description: ["description", "text"],
    scope: ["workflow_scope", "text"],
    workflows: ["workflow_ids", "list"],
    events: ["event_types", "list"],
  } as const;
}

function mutation(
  words: string,
  about: string,
  operation: string,
  method: "POST" | "DELETE",
  action: string,
): Command {
  const path = `/api/v1/webhooks/endpoints/{id}${action}`;
  return { words, args: "ID", about, route: { operation, method, path, needsKey: true } };
}

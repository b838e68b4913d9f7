import { defineEndpoint } from "../define-endpoint.ts";
import { endpointChange } from "./endpoint-change.ts";

export const activateEndpoint = defineEndpoint({
  ...endpointChange("activate", "invalid_state", "verification_required"),
  method: "post",
  path: "/api/v1/webhooks/endpoints/{endpoint_id}/activate",
  operationId: "activateWebhookEndpoint",
  summary: "Activate a webhook endpoint",
  description:
    "From then on events are sent, those that were held back first. The current URL must have passed a test; one that was only paused needs no new one. Activating an active endpoint changes nothing.",
});

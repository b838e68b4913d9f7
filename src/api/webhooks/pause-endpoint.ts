import { defineEndpoint } from "../define-endpoint.ts";
import { endpointChange } from "./endpoint-change.ts";

export const pauseEndpoint = defineEndpoint({
  ...endpointChange("pause", "invalid_state"),
  method: "post",
  path: "/api/v1/webhooks/endpoints/{endpoint_id}/pause",
  operationId: "pauseWebhookEndpoint",
  summary: "Pause a webhook endpoint",
  description:
    "Nothing is sent while the endpoint is paused. Events are held and sent on activation, if it follows within 24 hours of the run's end. Pausing a paused endpoint changes nothing.",
});

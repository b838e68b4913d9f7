import { defineEndpoint } from "../define-endpoint.ts";
import { endpointChange } from "./endpoint-change.ts";

export const revokePreviousSecret = defineEndpoint({
  ...endpointChange("revoke-previous-secret", "invalid_state"),
  method: "post",
  path: "/api/v1/webhooks/endpoints/{endpoint_id}/revoke-previous-secret",
  operationId: "revokePreviousWebhookSecret",
  summary: "End the overlap of a rotation",
  description:
    "From then on the current secret alone signs. Without a previous secret it changes nothing.",
});

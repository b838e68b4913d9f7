import { defineEndpoint } from "../define-endpoint.ts";
import { endpointChange } from "./endpoint-change.ts";

export const revokePreviousSecret = defineEndpoint({
  ...endpointChange("revoke-previous-secret", "invalid_state"),
  method: "post",
  path: "/api/v1/webhooks/endpoints/{endpoint_id}/revoke-previous-secret",
  operationId: "revokePreviousWebhookSecret",
  summary: "End the overlap of a rotation",
  description:
    "Only the current secret signs from now on. Without a previous secret this changes nothing.",
});

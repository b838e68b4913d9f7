import { defineEndpoint } from "../define-endpoint.ts";
import { endpointChange } from "./endpoint-change.ts";

export const archiveEndpoint = defineEndpoint({
  ...endpointChange("archive"),
  method: "delete",
  path: "/api/v1/webhooks/endpoints/{endpoint_id}",
  operationId: "archiveWebhookEndpoint",
  summary: "Archive a webhook endpoint",
  description:
    "This cannot be undone. The endpoint stays readable and is hidden from lists unless `status=archived`. Pending deliveries are cancelled. Archiving an archived endpoint changes nothing.",
});

import { defineEndpoint } from "../define-endpoint.ts";
import { endpointChange } from "./endpoint-change.ts";

export const archiveEndpoint = defineEndpoint({
  ...endpointChange("archive"),
  method: "delete",
  path: "/api/v1/webhooks/endpoints/{endpoint_id}",
  operationId: "archiveWebhookEndpoint",
  summary: "Archive a webhook endpoint",
  description:
    "For good: it stays readable, is hidden from lists unless `status=archived`, and what was still to be sent is cancelled. Archiving an archived endpoint changes nothing.",
});

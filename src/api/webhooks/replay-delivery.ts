import { defineEndpoint } from "../define-endpoint.ts";
import { deliveryResend } from "./delivery-resend.ts";

export const replayDelivery = defineEndpoint({
  ...deliveryResend("replay"),
  method: "post",
  path: "/api/v1/webhooks/deliveries/{delivery_id}/replay",
  operationId: "replayWebhookDelivery",
  summary: "Replay a delivery",
  description:
    "A `delivered` or `exhausted` delivery is sent again: same body and `webhook-id`, fresh timestamp and signature, appended to its attempts.",
});

import { defineEndpoint } from "../define-endpoint.ts";
import { deliveryResend } from "./delivery-resend.ts";

export const retryDelivery = defineEndpoint({
  ...deliveryResend("retry"),
  method: "post",
  path: "/api/v1/webhooks/deliveries/{delivery_id}/retry",
  operationId: "retryWebhookDelivery",
  summary: "Retry a delivery",
  description:
    "An `exhausted` delivery starts again: immediately, then on the schedule, for another 24 hours.",
});

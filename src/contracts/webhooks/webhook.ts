import * as z from "zod";
import { listOf } from "../list.ts";
import { Name } from "../name.ts";
import { timestampField as time } from "../timestamp.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";

/** docs/contract/webhooks.md#events */
export const FINISHED_EVENT = "com.svc.execution.finished.v1";
export const BATCH_FINISHED_EVENT = "com.svc.batch.finished.v1";
export const TEST_EVENT = "com.svc.webhook.test.v1";

export const WebhookEndpointStatus = z.enum([
  "pending_verification",
  "active",
  "paused",
  "disabled",
  "archived",
]);
export type WebhookEndpointStatus = z.infer<typeof WebhookEndpointStatus>;

export const WebhookScope = z.enum(["all", "selected"]);
export type WebhookScope = z.infer<typeof WebhookScope>;

/** The event types that an endpoint may subscribe to; test events are sent only on request. */
export const WebhookEventType = z.enum([FINISHED_EVENT, BATCH_FINISHED_EVENT]);

/** docs/contract/webhooks.md#endpoints, docs/contract/webhooks.md#deliveries. */
export const WebhookEndpoint = z
  .object({
    id: z.string().describe("Id of the endpoint, `whe_…`."),
    name: z.string().describe("Name that its owner gave."),
    description: z.string().describe("Description that its owner gave; may be empty."),
    url: z.string().describe("The address that receives the events."),
    url_revision: z.int().describe("Grows with each change of the URL."),
    status: WebhookEndpointStatus.describe("Only an `active` endpoint receives events."),
    disabled_reason: z
      .string()
      .nullable()
      .describe("Why the service disabled the endpoint; null otherwise."),
    workflow_scope: WebhookScope.describe(
      "`all` workflows of the workspace, or those in `workflow_ids`.",
    ),
    workflow_ids: z
      .array(z.string())
      .describe("The workflows whose events are sent, for scope `selected`."),
    event_types: z.array(z.string()).describe("The events that are sent."),
    verified_at: time.nullable().describe("When the current URL last passed its test."),
    created_at: time.describe("When the endpoint was created."),
    updated_at: time.describe("When the endpoint last changed."),
    previous_secret_expires_at: time
      .nullable()
      .describe("Until this time the previous secret also signs."),
  })
  .meta({ id: "WebhookEndpoint" });
export type WebhookEndpoint = z.infer<typeof WebhookEndpoint>;

/**
 * Response to a creation or a rotation. The first response contains the secret; later ones do not.
 */
export const WebhookEndpointWithSecret = WebhookEndpoint.extend({
  signing_secret: z
    .string()
    .nullable()
    .describe("`whsec_` and base64. Shown once: null in a repeat of the request."),
}).meta({ id: "WebhookEndpointWithSecret" });
export type WebhookEndpointWithSecret = z.infer<typeof WebhookEndpointWithSecret>;

export const WebhookEndpointList = listOf(WebhookEndpoint).meta({ id: "WebhookEndpointList" });

const WORKFLOWS_MAX = LIMITS.webhook_workflows.value;
const description = z.string().max(LIMITS.description.value);
/**
 * The egress guard checks the address and returns `invalid_url`; this is only a limit of its
 * length.
 */
const url = z
  .string()
  .max(LIMITS.webhook_url.value)
  .describe("A public https address on port 443.");
const eventTypes = z.array(WebhookEventType).min(1).max(LIMITS.webhook_event_types.value);

export const CreateWebhookEndpoint = z
  .strictObject({
    name: Name,
    url,
    description: description.default(""),
    workflow_scope: WebhookScope.default("all"),
    workflow_ids: z.array(z.string().max(LIMITS.workflow_id.value)).max(WORKFLOWS_MAX).default([]),
    event_types: eventTypes.default([FINISHED_EVENT]),
  })
  .meta({ id: "CreateWebhookEndpoint" });

export const PatchWebhookEndpoint = z
  .strictObject({
    name: Name.optional(),
    url: url.optional(),
    description: description.optional(),
    workflow_scope: WebhookScope.optional(),
    workflow_ids: z.array(z.string().max(LIMITS.workflow_id.value)).max(WORKFLOWS_MAX).optional(),
    event_types: eventTypes.optional(),
  })
  .meta({ id: "PatchWebhookEndpoint" });
export type PatchWebhookEndpoint = z.infer<typeof PatchWebhookEndpoint>;

export const WebhookDeliveryStatus = z.enum([
  "pending",
  "suspended",
  "retrying",
  "delivered",
  "exhausted",
  "cancelled",
]);
export type WebhookDeliveryStatus = z.infer<typeof WebhookDeliveryStatus>;

export const WebhookAttempt = z
  .object({
    number: z.int().min(1).describe("Number of the attempt, from 1."),
    started_at: time.describe("When the attempt started."),
    duration_ms: z.int().nullable().describe("Null if the service ended the attempt."),
    response_status: z
      .int()
      .nullable()
      .describe("HTTP status of the response; null if there was none."),
    error_code: z
      .enum([
        "url_refused",
        "timeout",
        "connection_failed",
        "redirect",
        "http_error",
        "gone",
        "interrupted",
      ])
      .nullable()
      .describe("Why the attempt failed; null if it succeeded."),
    response_excerpt: z.string().describe("At most 1,024 bytes, of text only."),
    url_revision: z.int().describe("Revision of the URL that the attempt was sent to."),
  })
  .meta({ id: "WebhookAttempt" });
export type WebhookAttempt = z.infer<typeof WebhookAttempt>;

export const WebhookDelivery = z
  .object({
    id: z.string().describe("Id of the delivery, `whd_…`."),
    endpoint_id: z.string().describe("The endpoint that the event is sent to."),
    event_id: z.string().describe("The `webhook-id` header."),
    event_type: z.string().describe("Type of the event."),
    execution: z.string().nullable().describe("The run that the event is about; null for tests."),
    status: WebhookDeliveryStatus.describe("`delivered`, `exhausted` and `cancelled` are final."),
    attempt_count: z.int().describe("Attempts made so far."),
    next_attempt_at: time
      .nullable()
      .describe("When the next attempt is due; null if there is none."),
    created_at: time.describe("When the event was recorded."),
    delivered_at: time
      .nullable()
      .describe("When the receiver accepted the event; null until then."),
    attempts: z.array(WebhookAttempt).describe("The attempts, the first one first."),
  })
  .meta({ id: "WebhookDelivery" });
export type WebhookDelivery = z.infer<typeof WebhookDelivery>;

export const WebhookDeliveryList = listOf(WebhookDelivery).meta({ id: "WebhookDeliveryList" });

export const WebhookTestOutcome = z
  .object({
    outcome: z
      .enum(["passed", "failed"])
      .describe("`passed` if the receiver returned a 2xx status."),
    url_revision: z.int().describe("Revision of the URL that was tested."),
    attempt: WebhookAttempt.describe("The attempt and its response."),
    delivery: WebhookDelivery.describe("The record of the test, as lists of deliveries show it."),
    endpoint: WebhookEndpoint.describe("The endpoint after the test."),
  })
  .meta({ id: "WebhookTestOutcome" });
export type WebhookTestOutcome = z.infer<typeof WebhookTestOutcome>;

export const WebhookActivity = z
  .object({
    id: z.string().describe("Id of the entry."),
    endpoint_id: z.string().describe("The endpoint that it is about."),
    delivery_id: z.string().optional().describe("The delivery that it is about, if any."),
    type: z.string().describe("What happened, such as `endpoint.activated`."),
    at: time.describe("When it happened."),
  })
  .meta({ id: "WebhookActivity" });
export type WebhookActivity = z.infer<typeof WebhookActivity>;

export const WebhookActivityList = listOf(WebhookActivity).meta({ id: "WebhookActivityList" });

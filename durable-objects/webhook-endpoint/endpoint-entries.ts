import { WebhookDeliveryStatus, WebhookScope } from "../../src/contracts/webhooks/webhook.ts";
import type {
  AttemptReport,
  ChangeEndpointRequest,
  CreateEndpointRequest,
  DeliveryListRequest,
  EndpointChange,
  WebhookEndpointObjectApi,
  WebhookEventHandOver,
  WebhookIdempotency,
  WebhookListRequest,
} from "../../src/contracts/webhooks/webhook-object-api.ts";
import {
  integer,
  list,
  literal,
  nullable,
  number,
  object,
  optional,
  text,
  variants,
  version,
  whole,
} from "../../src/lib/json/shape.ts";
import type { Entries } from "../shared/entries.ts";

const v = version(1);
const scope = literal(...WebhookScope.options);
const idempotency = object<WebhookIdempotency>({ key: text, fingerprint: text });
const page = { v, limit: whole, below_id: nullable(text) };

type Changing<Type> = Extract<EndpointChange, { type: Type }>;
type Simple = Exclude<EndpointChange, { type: "patch" | "rotate-secret" }>;
const simple = object<Simple>({
  type: literal("activate", "pause", "archive", "revoke-previous-secret"),
});

const change = variants<EndpointChange, "type">("type", {
  patch: object<Changing<"patch">>({
    type: literal("patch"),
    changes: object<Changing<"patch">["changes"]>({
      name: optional(text),
      description: optional(text),
      url: optional(text),
      workflow_scope: optional(scope),
      workflow_ids: optional(list(text)),
      event_types: optional(list(text)),
    }),
  }),
  activate: simple,
  pause: simple,
  archive: simple,
  "revoke-previous-secret": simple,
  "rotate-secret": object<Changing<"rotate-secret">>({ type: literal("rotate-secret") }),
});

export const ENDPOINT_ENTRIES: Entries<WebhookEndpointObjectApi> = {
  create: [
    object<CreateEndpointRequest>({
      v,
      id: text,
      workspace_id: text,
      base_url: text,
      name: text,
      description: text,
      url: text,
      workflow_scope: scope,
      workflow_ids: list(text),
      event_types: list(text),
      created_at_ms: whole,
    }),
  ],
  read: [],
  change: [object<ChangeEndpointRequest>({ v, change, idempotency })],
  beginTest: [object<{ v: 1; idempotency: WebhookIdempotency }>({ v, idempotency })],
  testOutcome: [text],
  accept: [
    object<WebhookEventHandOver>({
      v,
      event_id: text,
      event_type: text,
      execution: nullable(text),
      workflow_id: text,
      body: text,
    }),
  ],
  claim: [object<{ v: 1; max: number }>({ v, max: integer })],
  report: [
    object<AttemptReport>({
      v,
      delivery_id: text,
      fence: integer,
      outcome: object<AttemptReport["outcome"]>({
        duration_ms: nullable(number),
        response_status: nullable(whole),
        error_code: nullable(
          literal("url_refused", "timeout", "connection_failed", "redirect", "http_error", "gone"),
        ),
        response_excerpt: text,
        retry_after: nullable(text),
      }),
      max: integer,
    }),
  ],
  listDeliveries: [
    object<DeliveryListRequest>({
      ...page,
      status: nullable(literal(...WebhookDeliveryStatus.options)),
      execution: nullable(text),
      event_type: nullable(text),
    }),
  ],
  readDelivery: [text],
  resend: [
    object<Parameters<WebhookEndpointObjectApi["resend"]>[0]>({
      v,
      delivery_id: text,
      kind: literal("retry", "replay"),
      idempotency,
    }),
  ],
  listActivity: [object<WebhookListRequest>(page)],
};

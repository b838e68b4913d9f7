/**
 * Messages between the API, run objects, the runner and the object of a webhook endpoint. Plain
 * data; `v` is the version of the message.
 */
import * as z from "zod";
import type { Result } from "../../lib/result.ts";
import type {
  WebhookActivity,
  WebhookDelivery,
  WebhookDeliveryStatus,
  WebhookEndpoint,
  WebhookScope,
  WebhookTestOutcome,
} from "./webhook.ts";

/** On the `webhook-deliveries` queue: a hint that attempts of an endpoint are due. */
export const WebhookDeliveriesMessage = z.strictObject({
  v: z.literal(1),
  endpoint_id: z.string(),
});
export type WebhookDeliveriesMessage = z.infer<typeof WebhookDeliveriesMessage>;

/** One attempt to make. It is signed, so that no secret leaves the endpoint's object. */
export interface SignedAttempt {
  readonly delivery_id: string;
  readonly fence: number;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface AttemptReport {
  readonly v: 1;
  readonly delivery_id: string;
  readonly fence: number;
  readonly outcome: {
    readonly duration_ms: number | null;
    readonly response_status: number | null;
    readonly error_code:
      | "url_refused"
      | "timeout"
      | "connection_failed"
      | "redirect"
      | "http_error"
      | "gone"
      | null;
    readonly response_excerpt: string;
    readonly retry_after: string | null;
  };
  /** Number of further attempts that the reporter can take. */
  readonly max: number;
}

/** RPC interface for the runner. */
export interface WebhookAttemptsApi {
  /** Leases due attempts, at most `max`. An empty list means that there are no more. */
  claim(request: { v: 1; max: number }): Promise<readonly SignedAttempt[]>;
  /** A report after the end of its lease has no effect. Returns what to do next. */
  report(request: AttemptReport): Promise<readonly SignedAttempt[]>;
}

/** RPC interface of the object that sends an endpoint's attempts. */
export interface WebhookSenderApi {
  /** Accepts a hint that attempts are due; the work continues after the reply. */
  wake(request: { v: 1; endpoint_id: string }): Promise<void>;
}

/** An event from a run or a batch. Its body is final: every attempt sends these bytes. */
export interface WebhookEventHandOver {
  readonly v: 1;
  readonly event_id: string;
  readonly event_type: string;
  /** Null for an event that is not of one run. */
  readonly execution: string | null;
  readonly workflow_id: string;
  readonly body: string;
}

/** Identifies a mutation, so that a repeat has no effect (docs/contract/webhooks.md#mutations). */
export interface WebhookIdempotency {
  readonly key: string;
  readonly fingerprint: string;
}

export interface CreateEndpointRequest {
  readonly v: 1;
  readonly id: string;
  readonly workspace_id: string;
  readonly base_url: string;
  readonly name: string;
  readonly description: string;
  readonly url: string;
  readonly workflow_scope: WebhookScope;
  readonly workflow_ids: readonly string[];
  readonly event_types: readonly string[];
  readonly created_at_ms: number;
}

export type EndpointChange =
  | {
      readonly type: "patch";
      readonly changes: {
        readonly name?: string | undefined;
        readonly description?: string | undefined;
        readonly url?: string | undefined;
        readonly workflow_scope?: WebhookScope | undefined;
        readonly workflow_ids?: readonly string[] | undefined;
        readonly event_types?: readonly string[] | undefined;
      };
    }
  | {
      readonly type: "activate" | "pause" | "archive" | "revoke-previous-secret";
    }
  | { readonly type: "rotate-secret" };

export interface ChangeEndpointRequest {
  readonly v: 1;
  readonly change: EndpointChange;
  readonly idempotency: WebhookIdempotency;
}

export interface ChangedEndpoint {
  readonly endpoint: WebhookEndpoint;
  /** Shown once, to the request that created it. */
  readonly secret: string | null;
  readonly is_replay: boolean;
}

export type BeginTestResponse =
  | { readonly kind: "begun"; readonly attempt: SignedAttempt }
  /** A repeat: return the stored outcome of that test. */
  | { readonly kind: "known"; readonly delivery_id: string };

export interface WebhookListRequest {
  readonly v: 1;
  readonly limit: number;
  /** Only entries with a smaller id; null begins with the newest. */
  readonly below_id: string | null;
}

export interface DeliveryListRequest extends WebhookListRequest {
  readonly status: WebhookDeliveryStatus | null;
  readonly execution: string | null;
  readonly event_type: string | null;
}

export interface WebhookPage<T> {
  readonly rows: readonly T[];
  /** Total number of matches, independent of the page. */
  readonly total: number;
}

/** The complete RPC interface of a webhook endpoint's object, named by the endpoint's id. */
export interface WebhookEndpointObjectApi extends WebhookAttemptsApi {
  /** Idempotent: a repeat returns the endpoint without its secret. */
  create(request: CreateEndpointRequest): Promise<ChangedEndpoint>;
  /** Null if the endpoint does not exist. */
  read(): Promise<WebhookEndpoint | null>;
  change(request: ChangeEndpointRequest): Promise<Result<ChangedEndpoint>>;
  beginTest(request: { v: 1; idempotency: WebhookIdempotency }): Promise<Result<BeginTestResponse>>;
  /** Null while the test is in progress. */
  testOutcome(deliveryId: string): Promise<WebhookTestOutcome | null>;
  /** Accepts an event. When the call returns, the event is durable. Repeats have no effect. */
  accept(event: WebhookEventHandOver): Promise<void>;
  listDeliveries(request: DeliveryListRequest): Promise<WebhookPage<WebhookDelivery>>;
  readDelivery(deliveryId: string): Promise<WebhookDelivery | null>;
  resend(request: {
    v: 1;
    delivery_id: string;
    kind: "retry" | "replay";
    idempotency: WebhookIdempotency;
  }): Promise<Result<{ readonly delivery: WebhookDelivery; readonly is_replay: boolean }>>;
  listActivity(request: WebhookListRequest): Promise<WebhookPage<WebhookActivity>>;
}

/** An endpoint as stored in the workspace: whether it receives events of a workflow's runs. */
export interface WebhookIndexEntry {
  readonly v: 1;
  readonly endpoint_id: string;
  /** Grows with each change, so that a late call cannot undo a newer one. */
  readonly seq: number;
  readonly is_listening: boolean;
  /** Null means all. */
  readonly workflow_ids: readonly string[] | null;
  readonly base_url: string;
}

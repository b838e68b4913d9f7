import type {
  WebhookEndpoint,
  WebhookEndpointStatus,
  WebhookScope,
} from "../../../contracts/webhooks/webhook.ts";

/**
 * An endpoint as stored by its object. The secrets leave the object only in the response that shows
 * one.
 */
export interface EndpointRecord {
  readonly id: string;
  readonly workspace_id: string;
  readonly name: string;
  readonly description: string;
  readonly url: string;
  readonly url_revision: number;
  readonly status: WebhookEndpointStatus;
  readonly disabled_reason: string | null;
  readonly workflow_scope: WebhookScope;
  readonly workflow_ids: readonly string[];
  readonly event_types: readonly string[];
  /** The URL revision that has passed a test since its last failure or change. */
  readonly verified_revision: number | null;
  readonly verified_at_ms: number | null;
  /**
   * Whether any revision has passed: from then on, after a change of the URL, events are held back
   * instead of dropped.
   */
  readonly was_verified: boolean;
  readonly created_at_ms: number;
  readonly updated_at_ms: number;
  readonly secret: string;
  readonly previous_secret: string | null;
  readonly previous_secret_expires_at_ms: number | null;
}

/** The public view of an endpoint. */
export function endpointView(record: EndpointRecord, nowMs: number): WebhookEndpoint {
  const expiresMs = record.previous_secret_expires_at_ms;
  return {
    id: record.id,
    name: record.name,
    description: record.description,
    url: record.url,
    url_revision: record.url_revision,
    status: record.status,
    disabled_reason: record.disabled_reason,
    workflow_scope: record.workflow_scope,
    workflow_ids: [...record.workflow_ids],
    event_types: [...record.event_types],
    verified_at: isoOf(record.verified_at_ms),
    created_at: new Date(record.created_at_ms).toISOString(),
    updated_at: new Date(record.updated_at_ms).toISOString(),
    previous_secret_expires_at: expiresMs !== null && expiresMs > nowMs ? isoOf(expiresMs) : null,
  };
}

/** The secrets that sign at a given time, the current one first. */
export function signingSecrets(record: EndpointRecord, nowMs: number): readonly string[] {
  const { secret, previous_secret: previous, previous_secret_expires_at_ms: expiresMs } = record;
  return previous !== null && expiresMs !== null && expiresMs > nowMs
    ? [secret, previous]
    : [secret];
}

function isoOf(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}

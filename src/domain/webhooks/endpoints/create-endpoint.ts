import type {
  WebhookEndpointWithSecret,
  WebhookScope,
} from "../../../contracts/webhooks/webhook.ts";
import type { CreateEndpointRequest } from "../../../contracts/webhooks/webhook-object-api.ts";
import { AppError } from "../../../lib/errors/errors.ts";
import type { JsonValue } from "../../../lib/json/exact-json.ts";
import type { CallerContext } from "../../../platform/context.ts";
import { newId } from "../../../platform/ids.ts";
import { WebhookEndpointStore } from "../../../storage/d1/webhook-endpoint-store.ts";
import { webhookEndpointObject } from "../../../storage/objects/webhook-endpoint-object.ts";
import { getBillingPlan } from "../../billing-plans/workspace-billing-plans.ts";
import { mutationKey } from "./mutation-key.ts";
import { requireReceiverUrl, requireWorkflowScope } from "./check-endpoint-fields.ts";
import {
  compareWithRecord,
  IDEMPOTENCY_KEPT_MS,
  KEY_REUSED,
} from "../../../lib/idempotency-record.ts";

export interface CreateEndpoint {
  readonly name: string;
  readonly description: string;
  readonly url: string;
  readonly workflowScope: WebhookScope;
  readonly workflowIds: readonly string[];
  readonly eventTypes: readonly string[];
  readonly idempotencyKey: string;
  readonly exactBody: JsonValue;
}

/**
 * Creates an endpoint in `pending_verification` and returns its secret, this once. A repeat returns
 * the current endpoint. Throws `invalid_url`, `validation_error`, `not_found`, `forbidden`,
 * `endpoint_limit_reached`, `idempotency_conflict`.
 */
export async function createEndpoint(
  ctx: CallerContext,
  given: CreateEndpoint,
): Promise<{ endpoint: WebhookEndpointWithSecret; isReplay: boolean }> {
  const idempotency = await mutationKey("POST", given.idempotencyKey, given.exactBody);
  const known = await knownCreation(ctx, idempotency);
  if (known !== undefined) {
    return await create(ctx, given, known, true);
  }
  await requireReceiverUrl(ctx, given.url);
  const workflowIds = await requireWorkflowScope(ctx, given.workflowScope, given.workflowIds);
  const billingPlan = await getBillingPlan(ctx, ctx.principal);
  const createdAtMs = ctx.nowMs();
  const id = newId("webhookEndpoint", createdAtMs);
  const at = new Date(createdAtMs).toISOString();
  const view = {
    id,
    name: given.name,
    description: given.description,
    url: given.url,
    url_revision: 1,
    status: "pending_verification" as const,
    disabled_reason: null,
    workflow_scope: given.workflowScope,
    workflow_ids: workflowIds,
    event_types: [...given.eventTypes],
    verified_at: null,
    created_at: at,
    updated_at: at,
    previous_secret_expires_at: null,
  };
  const store = new WebhookEndpointStore(ctx.env, ctx.principal.workspaceId);
  const max = billingPlan.limits.max_webhook_endpoints;
  if (!(await store.insert({ view, createdAtMs, idempotency }, max))) {
    const raced = await knownCreation(ctx, idempotency);
    if (raced !== undefined) {
      return await create(ctx, given, raced, true);
    }
    throw new AppError(
      "endpoint_limit_reached",
      `The plan allows ${max} webhook endpoints, and the workspace has reached this limit. Archive one, or move to another plan.`,
    );
  }
  return await create(ctx, { ...given, workflowIds }, { id, createdAtMs }, false);
}

/**
 * The object is created by the first call that reaches it: after a crash in between, by the repeat.
 */
async function create(
  ctx: CallerContext,
  given: CreateEndpoint,
  row: { id: string; createdAtMs: number },
  isReplay: boolean,
): Promise<{ endpoint: WebhookEndpointWithSecret; isReplay: boolean }> {
  const request: CreateEndpointRequest = {
    v: 1,
    id: row.id,
    workspace_id: ctx.principal.workspaceId,
    base_url: ctx.baseUrl,
    name: given.name,
    description: given.description,
    url: given.url,
    workflow_scope: given.workflowScope,
    workflow_ids: given.workflowIds,
    event_types: given.eventTypes,
    created_at_ms: row.createdAtMs,
  };
  const made = await webhookEndpointObject(ctx, row.id).create(request);
  return {
    endpoint: {
      ...made.endpoint,
      signing_secret: made.secret,
    },
    isReplay,
  };
}

async function knownCreation(
  ctx: CallerContext,
  idempotency: { key: string; fingerprint: string },
): Promise<{ id: string; createdAtMs: number } | undefined> {
  const store = new WebhookEndpointStore(ctx.env, ctx.principal.workspaceId);
  const known = await store.creation(idempotency.key, ctx.nowMs() - IDEMPOTENCY_KEPT_MS);
  if (compareWithRecord(known, idempotency.fingerprint) === "conflict") {
    throw new AppError("idempotency_conflict", KEY_REUSED);
  }
  return known === undefined ? undefined : { id: known.id, createdAtMs: known.createdAtMs };
}

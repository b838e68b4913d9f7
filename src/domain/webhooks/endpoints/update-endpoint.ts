import type { PatchWebhookEndpoint, WebhookEndpoint } from "../../../contracts/webhooks/webhook.ts";
import { AppError } from "../../../lib/errors/errors.ts";
import type { JsonValue } from "../../../lib/json/exact-json.ts";
import { unwrap } from "../../../lib/result.ts";
import type { CallerContext } from "../../../platform/context.ts";
import { mutationKey } from "./mutation-key.ts";
import { requireEndpoint } from "./require-endpoint.ts";
import { requireReceiverUrl, requireWorkflowScope } from "./check-endpoint-fields.ts";

/**
 * Changes the given fields. Another URL creates a new revision, which must pass a test before
 * anything is sent to it (docs/contract/webhooks.md#transitions). Throws `invalid_url`,
 * `validation_error`, `not_found`, `forbidden`, `invalid_state`, `idempotency_conflict`.
 */
export async function updateEndpoint(
  ctx: CallerContext,
  id: string,
  changes: PatchWebhookEndpoint,
  request: { readonly idempotencyKey: string; readonly exactBody: JsonValue },
): Promise<{ endpoint: WebhookEndpoint; isReplay: boolean }> {
  const endpoint = await requireEndpoint(ctx, id);
  const current = await endpoint.read();
  if (current === null) {
    throw new AppError("service_unavailable", `The endpoint ${id} is still being created.`);
  }
  if (changes.url !== undefined && changes.url !== current.url) {
    await requireReceiverUrl(ctx, changes.url);
  }
  const scope = changes.workflow_scope ?? current.workflow_scope;
  const isScoped = changes.workflow_scope !== undefined || changes.workflow_ids !== undefined;
  // A change to `all` drops the list; the other selection stays.
  const given = changes.workflow_ids ?? (scope === "all" ? [] : current.workflow_ids);
  const workflowIds = isScoped ? await requireWorkflowScope(ctx, scope, given) : undefined;
  const changed = unwrap(
    await endpoint.change({
      v: 1,
      change: { type: "patch", changes: { ...changes, workflow_ids: workflowIds } },
      idempotency: await mutationKey("patch", request.idempotencyKey, request.exactBody),
    }),
  );
  return { endpoint: changed.endpoint, isReplay: changed.is_replay };
}

import type { WebhookEndpointObjectApi } from "../../../contracts/webhooks/webhook-object-api.ts";
import { AppError } from "../../../lib/errors/errors.ts";
import type { CallerContext } from "../../../platform/context.ts";
import { WebhookEndpointStore } from "../../../storage/d1/webhook-endpoint-store.ts";
import { webhookEndpointObject } from "../../../storage/objects/webhook-endpoint-object.ts";
import type { WebhookEndpoint } from "../../../contracts/webhooks/webhook.ts";

/** The object of an endpoint of the caller's workspace. Throws `not_found`, `forbidden`. */
export async function requireEndpoint(
  ctx: CallerContext,
  id: string,
): Promise<WebhookEndpointObjectApi> {
  const found = await new WebhookEndpointStore(ctx.env, ctx.principal.workspaceId).find(id);
  if (found === "elsewhere") {
    throw new AppError(
      "forbidden",
      `The webhook endpoint ${id} belongs to another workspace. Use a key of that workspace.`,
    );
  }
  if (found === undefined) {
    throw new AppError(
      "not_found",
      `There is no webhook endpoint ${id}. GET /api/v1/webhooks/endpoints lists the endpoints.`,
    );
  }
  return webhookEndpointObject(ctx, id);
}

/** The current state of an endpoint. Throws `not_found`, `forbidden`. */
export async function readEndpoint(ctx: CallerContext, id: string): Promise<WebhookEndpoint> {
  const endpoint = await (await requireEndpoint(ctx, id)).read();
  if (endpoint === null) {
    // Its creation was interrupted: a repeat with its key completes it.
    throw new AppError(
      "not_found",
      `The creation of the webhook endpoint ${id} was not completed.`,
    );
  }
  return endpoint;
}

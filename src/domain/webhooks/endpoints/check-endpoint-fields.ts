import { AppError } from "../../../lib/errors/errors.ts";
import type { AppContext, CallerContext } from "../../../platform/context.ts";
import { checkUrl } from "../../../platform/egress/check-url.ts";
import { resolvesToPrivate } from "../../../platform/egress/private-name.ts";
import { loopbackExceptions } from "../../../platform/egress/loopback-exceptions.ts";
import type { WebhookScope } from "../../../contracts/webhooks/webhook.ts";
import { parseId } from "../../../platform/ids.ts";
import { FolderStore } from "../../../storage/d1/folder-store.ts";

/**
 * Rejects an address to which no attempt could be sent
 * (docs/contract/webhooks.md#receiver-addresses). Throws `invalid_url`.
 */
export async function requireReceiverUrl(ctx: AppContext, url: string): Promise<void> {
  const checked = checkUrl(url, {
    loopback: loopbackExceptions(ctx.env),
    allowsIpLiterals: false,
  });
  const reason = checked.isAllowed
    ? !checked.isLoopback && (await resolvesToPrivate(ctx.env, checked.url, fetch))
      ? "its name resolves to an address that is not public"
      : undefined
    : checked.reason;
  if (reason !== undefined) {
    const message = `The URL cannot receive webhooks: ${reason}. Send a public https address with a host name.`;
    throw new AppError("invalid_url", message, { errors: [{ field: "url", message }] });
  }
}

/**
 * The canonical ids of the endpoint's selected workflows. Throws `validation_error` if scope and
 * list do not match, `not_found` or `forbidden` for a workflow that is not the workspace's.
 */
export async function requireWorkflowScope(
  ctx: CallerContext,
  scope: WebhookScope,
  given: readonly string[],
): Promise<string[]> {
  const ids = [...new Set(given.map((id) => parseId("workflow", id)))];
  if ((scope === "selected") !== ids.length > 0) {
    const message =
      scope === "selected"
        ? "Must name at least one workflow when workflow_scope is selected."
        : "Must be omitted or empty unless workflow_scope is selected.";
    throw new AppError("validation_error", `workflow_ids: ${message}`, {
      errors: [{ field: "workflow_ids", message }],
    });
  }
  const [stranger] =
    ids.length === 0
      ? []
      : await new FolderStore(ctx.env, ctx.principal.workspaceId).strangers(ids);
  if (stranger !== undefined) {
    throw stranger.isElsewhere
      ? new AppError("forbidden", `The workflow ${stranger.id} belongs to another workspace.`)
      : new AppError("not_found", `There is no workflow ${stranger.id}.`);
  }
  return ids;
}

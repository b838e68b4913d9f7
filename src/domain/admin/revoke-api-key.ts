import { AppError } from "../../lib/errors/errors.ts";
import type { AppContext } from "../../platform/context.ts";
import { findApiKey, markApiKeyRevoked } from "../../storage/d1/api-key-store.ts";
import { organizationAccessObject } from "../../storage/objects/organization-access-object.ts";
import { changeAccess, forgetCaller } from "../access/access-facts.ts";

/**
 * Revokes a key: it gets no new tokens, and its current ones stop working within 60 s everywhere,
 * in this isolate at once. Revoking it again has no effect. Throws `not_found`.
 */
export async function revokeApiKey(ctx: AppContext, keyId: string): Promise<void> {
  const key = await findApiKey(ctx.env, keyId);
  if (key === undefined) {
    throw new AppError("not_found", `There is no API key ${keyId}.`);
  }
  const { organization_id: organizationId, workspace_id: workspaceId } = key;
  await changeAccess(ctx, organizationAccessObject(ctx.env, organizationId), keyId, () =>
    markApiKeyRevoked(ctx.env, workspaceId, keyId, ctx.nowMs()),
  );
  forgetCaller({ keyId, workspaceId, organizationId });
}

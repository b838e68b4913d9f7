import type { SignedEmbedToken } from "../../contracts/embeds/embed-claims.ts";
import type { AppContext, Principal } from "../../platform/context.ts";
import { knownCaller } from "../access/access-facts.ts";
import { getBillingPlan } from "../billing-plans/workspace-billing-plans.ts";
import type { EmbedRefusal } from "./embed-refusal.ts";
import { isTokenRevoked } from "./token-standing.ts";

export type EmbedVerdict =
  | { readonly refusal: EmbedRefusal; readonly principal?: undefined }
  | { readonly refusal?: undefined; readonly principal: Principal };

/** Resources of which an editor token has the scopes of its key, to read and to write. */
const EDITOR_RESOURCES = /^(?:workflows|executions|assets|templates):/;

/**
 * Judges an embed token for a page or a call: its expiry, its key and its revocation, then the workspace's plan. The
 * principal has what the claim and the key's rights both allow now (docs/contract/embeds.md#tokens).
 */
export async function judgeEmbedToken(
  ctx: AppContext,
  token: SignedEmbedToken,
): Promise<EmbedVerdict> {
  const { kind, claims, expiresAtMs } = token;
  const nowMs = ctx.nowMs();
  if (expiresAtMs <= nowMs) {
    return { refusal: "token_expired" };
  }
  const { org_id: organizationId, ws_id: workspaceId, jti, aki: keyId } = claims;
  const caller = { keyId, workspaceId, organizationId };
  const key = (await knownCaller(ctx, caller))?.key;
  if (
    key === undefined ||
    key.isRevoked ||
    key.expiresAtMs <= nowMs ||
    (await isTokenRevoked(ctx, workspaceId, jti))
  ) {
    return { refusal: "token_revoked" };
  }
  const { limits } = await getBillingPlan(ctx, caller);
  if (!limits.embed_access) {
    return { refusal: "embed_disabled" };
  }
  const { scopes, permissions, isAgent } = key.principal;
  return {
    principal: {
      keyId,
      organizationId,
      workspaceId,
      // A runtime token needs none: the routes of /api/embed ask for permissions alone.
      scopes: new Set(
        kind === "editor" ? [...scopes].filter((scope) => EDITOR_RESOURCES.test(scope)) : [],
      ),
      permissions: new Set(claims.permissions.filter((name) => permissions.has(name))),
      isAgent,
      embed: { kind, token: jti, key_id: keyId, end_user_id: claims.end_user_id },
      embedToken: token,
      ...(token.kind === "runtime" && {
        embedViewer: {
          token: jti,
          key_id: keyId,
          workflow_id: token.claims.wf,
          end_user_id: claims.end_user_id,
        },
      }),
    },
  };
}

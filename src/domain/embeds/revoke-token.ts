import { LIMITS } from "../../lib/limits/limits-table.ts";
import type { CallerContext } from "../../platform/context.ts";
import { embedTokenObject } from "../../storage/objects/embed-token-object.ts";
import { noteTokenState } from "./token-standing.ts";

/**
 * Revokes a token of the caller's workspace until `untilMs`, 30 days from now if omitted
 * (docs/contract/embeds.md#revocation). An id that no token of this workspace has changes nothing: the workspace is part
 * of the object's name.
 */
export async function revokeToken(
  ctx: CallerContext,
  jti: string,
  untilMs: number | undefined,
): Promise<void> {
  const nowMs = ctx.nowMs();
  const until_ms = untilMs ?? nowMs + LIMITS.embed_revocation.value;
  if (until_ms <= nowMs) {
    return;
  }
  const { workspaceId } = ctx.principal;
  const state = await embedTokenObject(ctx, workspaceId, jti).revoke({ v: 1, until_ms });
  noteTokenState(workspaceId, jti, state, nowMs);
}

import type { CallerContext } from "../../platform/context.ts";
import { embedRefusal } from "./embed-refusal.ts";
import { judgeEmbedToken } from "./judge-embed-token.ts";

/**
 * Judges the embed token of a caller again, after a wait. Throws its refusal if it was revoked or has expired since; other
 * callers pass.
 */
export async function requireValidEmbedToken(ctx: CallerContext): Promise<void> {
  const token = ctx.principal.embedToken;
  const verdict = token === undefined ? undefined : await judgeEmbedToken(ctx, token);
  if (verdict?.refusal !== undefined) {
    throw embedRefusal(verdict.refusal);
  }
}

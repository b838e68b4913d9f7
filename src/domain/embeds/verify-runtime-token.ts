import type { RuntimeClaims } from "../../contracts/embeds/embed-claims.ts";
import { AppError } from "../../lib/errors/errors.ts";
import type { AppContext, Principal } from "../../platform/context.ts";
import { readToken } from "../auth/read-token.ts";
import { embedRefusal } from "./embed-refusal.ts";
import { judgeEmbedToken } from "./judge-embed-token.ts";

/**
 * The caller of a bearer of `/api/embed`. Throws `unauthorized` with a `reason`, `forbidden` for the token of an editor,
 * and `plan_limit_exceeded`.
 */
export async function verifyRuntimeToken(
  ctx: AppContext,
  token: string | undefined,
): Promise<{ readonly principal: Principal; readonly claims: RuntimeClaims }> {
  if (token === undefined) {
    throw embedRefusal("token_missing");
  }
  const signed = await readToken(ctx, token);
  if (signed === undefined || signed.kind === "access") {
    throw embedRefusal("token_invalid");
  }
  if (signed.kind === "editor") {
    throw new AppError(
      "forbidden",
      "This is the token of an editor, which is valid on /api/v1. Send a token of POST /api/v1/embed/tokens.",
    );
  }
  const verdict = await judgeEmbedToken(ctx, signed);
  if (verdict.refusal !== undefined) {
    throw embedRefusal(verdict.refusal);
  }
  return { principal: verdict.principal, claims: signed.claims };
}

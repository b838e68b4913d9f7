import type { EditorClaims } from "../../contracts/embeds/embed-claims.ts";
import { AppError } from "../../lib/errors/errors.ts";
import type { AppContext, Principal } from "../../platform/context.ts";
import { takeHint } from "../../storage/d1/databases.ts";
import { knownCaller } from "../access/access-facts.ts";
import { embedRefusal } from "../embeds/embed-refusal.ts";
import { judgeEmbedToken } from "../embeds/judge-embed-token.ts";
import { readToken } from "./read-token.ts";

/** Whether a route takes API keys alone: embed tokens are then refused with a code of their own. */
export interface TokenNeeds {
  readonly needsApiKey: boolean;
}

/**
 * The caller of a bearer token of `/api/v1`: an access token or the token of an embedded editor. Throws `unauthorized`
 * for a token that is malformed, forged, expired or revoked, and for a key that is revoked or expired; `forbidden` or
 * `api_key_required` for other embed tokens. No I/O while an access token and its key are cached.
 */
export async function verifyToken(
  ctx: AppContext,
  token: string,
  { needsApiKey }: TokenNeeds = { needsApiKey: false },
): Promise<Principal> {
  const signed = await readToken(ctx, token);
  if (signed === undefined) {
    throw unauthorized(
      "The access token is not valid. Send the access_token of POST /api/v1/auth/token unchanged.",
    );
  }
  if (signed.kind !== "access") {
    return verifyEmbedToken(ctx, signed, needsApiKey);
  }
  const nowMs = ctx.nowMs();
  if (signed.expiresAtMs <= nowMs) {
    throw unauthorized("The access token has expired. Get a new one from POST /api/v1/auth/token.");
  }
  takeHint(ctx.env, signed.home);
  const key = (await knownCaller(ctx, signed.caller))?.key;
  if (key === undefined || key.isRevoked || key.expiresAtMs <= nowMs) {
    throw unauthorized(
      "The API key behind this token was revoked or has expired. Use another key.",
    );
  }
  return key.principal;
}

async function verifyEmbedToken(
  ctx: AppContext,
  signed:
    | { readonly kind: "runtime" }
    | { readonly kind: "editor"; readonly claims: EditorClaims; readonly expiresAtMs: number },
  needsApiKey: boolean,
): Promise<Principal> {
  if (needsApiKey) {
    throw new AppError(
      "api_key_required",
      "Embed tokens are minted and revoked with an access token of an API key, never with an embed token. Call this route from your backend.",
    );
  }
  if (signed.kind === "runtime") {
    throw new AppError(
      "forbidden",
      "This is a runtime embed token, which is valid on /api/embed alone. Send an access token of an API key.",
    );
  }
  const verdict = await judgeEmbedToken(ctx, signed);
  if (verdict.refusal !== undefined) {
    throw embedRefusal(verdict.refusal);
  }
  return verdict.principal;
}

function unauthorized(message: string): AppError {
  return new AppError("unauthorized", message, {
    headers: { "www-authenticate": 'Bearer realm="svc", error="invalid_token"' },
  });
}

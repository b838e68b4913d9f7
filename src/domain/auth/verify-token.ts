import { errors, jwtVerify } from "jose";
import { isCanonicalBase64Url } from "../../lib/base64url.ts";
import { AppError } from "../../lib/errors/errors.ts";
import type { AppContext, Principal } from "../../platform/context.ts";
import { getKeyState } from "./key-state.ts";
import { signingKey, TOKEN_ISSUER } from "./signing-key.ts";

const TOKENS_MAX = 5_000;

interface VerifiedToken {
  readonly keyId: string;
  readonly expiresAtMs: number;
}

/**
 * Tokens with a valid signature; a bounded cache that removes the oldest. The key's permissions are
 * read separately for each request.
 */
const verified = new Map<string, VerifiedToken>();

/**
 * The caller of an access token. Throws `unauthorized` for a token that is malformed, forged or
 * expired, and for a key that is revoked or expired. No I/O while the token and its key are cached.
 */
export async function verifyToken(ctx: AppContext, token: string): Promise<Principal> {
  const claims = verified.get(token) ?? (await verifySignature(ctx, token));
  const nowMs = ctx.nowMs();
  if (claims.expiresAtMs <= nowMs) {
    verified.delete(token);
    throw unauthorized("The access token has expired. Get a new one from POST /api/v1/auth/token.");
  }
  const key = await getKeyState(ctx, claims.keyId);
  if (key === undefined || key.isRevoked || key.expiresAtMs <= nowMs) {
    throw unauthorized(
      "The API key behind this token was revoked or has expired. Use another key.",
    );
  }
  return key.principal;
}

async function verifySignature(ctx: AppContext, token: string): Promise<VerifiedToken> {
  if (!token.split(".").every(isCanonicalBase64Url)) {
    throw malformed();
  }
  try {
    const { payload } = await jwtVerify(token, await signingKey(ctx.env.JWT_SECRET), {
      algorithms: ["HS256"],
      issuer: TOKEN_ISSUER,
      requiredClaims: ["sub", "exp"],
      currentDate: new Date(ctx.nowMs()),
    });
    const claims = { keyId: payload.sub ?? "", expiresAtMs: (payload.exp ?? 0) * 1000 };
    if (verified.size >= TOKENS_MAX) {
      const oldest = verified.keys().next();
      if (!oldest.done) {
        verified.delete(oldest.value);
      }
    }
    verified.set(token, claims);
    return claims;
  } catch (cause) {
    if (cause instanceof errors.JWTExpired) {
      throw unauthorized(
        "The access token has expired. Get a new one from POST /api/v1/auth/token.",
      );
    }
    if (cause instanceof errors.JOSEError) {
      throw malformed();
    }
    throw cause;
  }
}

function malformed(): AppError {
  return unauthorized(
    "The access token is not valid. Send the access_token of POST /api/v1/auth/token unchanged.",
  );
}

function unauthorized(message: string): AppError {
  return new AppError("unauthorized", message, {
    headers: { "www-authenticate": 'Bearer realm="svc", error="invalid_token"' },
  });
}

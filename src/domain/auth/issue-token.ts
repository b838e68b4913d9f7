import { SignJWT } from "jose";
import { AppError } from "../../lib/errors/errors.ts";
import { sameBytes } from "../../lib/same-bytes.ts";
import { sha256Hex } from "../../lib/sha256.ts";
import type { AppContext } from "../../platform/context.ts";
import { tryParseId } from "../../platform/ids.ts";
import { type FoundKey, findApiKey } from "../../storage/d1/api-key-store.ts";
import { shardsOf } from "../../storage/d1/databases.ts";
import { noteKeyShard, readKeyShard } from "../../storage/r2/key-shards.ts";
import { signingKey, TOKEN_ISSUER } from "./signing-key.ts";
import { TOKEN_LIFETIME_SECONDS } from "./token-lifetime.ts";

export interface IssuedToken {
  readonly access_token: string;
  readonly token_type: "Bearer";
  readonly expires_in: number;
  readonly scope: string;
}

const utf8 = new TextEncoder();

/**
 * Exchanges client credentials for an access token (docs/contract/access.md#tokens). Throws the
 * same `invalid_client` for an unknown, revoked or expired key and for a wrong secret, so that
 * callers cannot distinguish them.
 */
export async function issueToken(
  ctx: AppContext,
  clientId: string,
  clientSecret: string,
): Promise<IssuedToken> {
  const keyId = tryParseId("apiKey", clientId);
  const given = utf8.encode(await sha256Hex(clientSecret));
  const key = keyId === undefined ? undefined : await findKey(ctx, keyId);
  const isRight = sameBytes(given, utf8.encode(key?.secret_sha256 ?? "0".repeat(64)));
  const nowMs = ctx.nowMs();
  if (
    key === undefined ||
    !isRight ||
    key.revoked_at_ms !== null ||
    (key.expires_at_ms !== null && key.expires_at_ms <= nowMs)
  ) {
    throw new AppError(
      "invalid_client",
      "The client credentials are wrong, or the key was revoked or has expired. Send the client_id and client_secret of a live API key as HTTP Basic.",
      { headers: { "www-authenticate": 'Basic realm="svc", charset="UTF-8"' } },
    );
  }
  const nowSeconds = Math.floor(nowMs / 1000);
  const scope = key.scopes.join(" ");
  const access_token = await new SignJWT({
    scope,
    org: key.organization_id,
    ws: key.workspace_id,
    shard: key.shard,
  })
    .setProtectedHeader({ alg: "HS256", typ: "JWT" })
    .setIssuer(TOKEN_ISSUER)
    .setSubject(key.id)
    .setJti(crypto.randomUUID())
    .setIssuedAt(nowSeconds)
    .setExpirationTime(nowSeconds + TOKEN_LIFETIME_SECONDS)
    .sign(await signingKey(ctx.env.JWT_SECRET));
  return { access_token, token_type: "Bearer", expires_in: TOKEN_LIFETIME_SECONDS, scope };
}

/** With several databases, a key is looked for where it was found last, before the directory is asked. */
async function findKey(ctx: AppContext, keyId: string): Promise<FoundKey | undefined> {
  if (shardsOf(ctx.env).length === 1) {
    return await findApiKey(ctx.env, keyId);
  }
  const hint = await readKeyShard(ctx.env.FILES, keyId);
  const key = await findApiKey(ctx.env, keyId, hint);
  if (key !== undefined && key.shard !== hint) {
    ctx.waitUntil(noteKeyShard(ctx.env.FILES, { keyId, shard: key.shard }, ctx.log));
  }
  return key;
}

import { errors, jwtVerify } from "jose";
import * as z from "zod";
import type { SignedEmbedToken } from "../../contracts/embeds/embed-claims.ts";
import {
  EditorClaims as Editor,
  RuntimeClaims as Runtime,
} from "../../contracts/embeds/embed-claims.ts";
import { EMBED_SUBJECTS } from "../../contracts/embeds/embed-permissions.ts";
import { isCanonicalBase64Url } from "../../lib/base64url.ts";
import type { AppContext } from "../../platform/context.ts";
import type { Caller } from "../access/access-facts.ts";
import type { HomeHint } from "../../storage/d1/databases.ts";
import { signingKey, TOKEN_ISSUER } from "./signing-key.ts";

/** The claims of an access token (`issue-token.ts`). */
const Access = z
  .object({
    sub: z.string(),
    org: z.string(),
    ws: z.string(),
    iat: z.number().default(0),
    // Tokens of earlier releases have none.
    shard: z.int().optional(),
  })
  .transform(({ sub, org, ws, iat, shard }) => ({
    caller: { keyId: sub, organizationId: org, workspaceId: ws },
    home: { organizationId: org, workspaceId: ws, shard, issuedAtMs: iat * 1000 },
  }));

const TOKENS_MAX = 5_000;
/** Bounds the cache by weight too: an embed token may be long. */
const CHARS_MAX = 4 * 1024 * 1024;

/** A token whose signature and claims were verified. It may have expired. */
export type SignedToken =
  | {
      readonly kind: "access";
      readonly caller: Caller;
      readonly home: HomeHint;
      readonly expiresAtMs: number;
    }
  | SignedEmbedToken;

/** Verified tokens; the oldest is removed first. The permissions of their keys are read for each request. */
const verified = new Map<string, SignedToken>();
let chars = 0;

/**
 * The claims of a token of this deployment; undefined if it is malformed or forged. The caller judges its expiry. No
 * I/O.
 */
export async function readToken(ctx: AppContext, token: string): Promise<SignedToken | undefined> {
  const known = verified.get(token);
  if (known !== undefined) {
    return known;
  }
  const read = await verifySignature(ctx, token);
  if (read !== undefined) {
    remember(token, read);
  }
  return read;
}

async function verifySignature(ctx: AppContext, token: string): Promise<SignedToken | undefined> {
  if (!token.split(".").every(isCanonicalBase64Url)) {
    return undefined;
  }
  try {
    const { payload } = await jwtVerify(token, await signingKey(ctx.env.JWT_SECRET), {
      algorithms: ["HS256"],
      issuer: TOKEN_ISSUER,
      requiredClaims: ["sub", "exp"],
      // Expiry is for the caller to judge: a page of an expired token still names its origins.
      currentDate: new Date(0),
    });
    const expiresAtMs = (payload.exp ?? 0) * 1000;
    switch (payload.sub) {
      case EMBED_SUBJECTS.runtime: {
        const claims = Runtime.safeParse(payload);
        return claims.success ? { kind: "runtime", claims: claims.data, expiresAtMs } : undefined;
      }
      case EMBED_SUBJECTS.editor: {
        const claims = Editor.safeParse(payload);
        return claims.success ? { kind: "editor", claims: claims.data, expiresAtMs } : undefined;
      }
      default: {
        const claims = Access.safeParse(payload);
        return claims.success ? { kind: "access", ...claims.data, expiresAtMs } : undefined;
      }
    }
  } catch (cause) {
    if (cause instanceof errors.JOSEError) {
      return undefined;
    }
    throw cause;
  }
}

function remember(token: string, read: SignedToken): void {
  for (const oldest of verified.keys()) {
    if (verified.size < TOKENS_MAX && chars + token.length <= CHARS_MAX) {
      break;
    }
    verified.delete(oldest);
    chars -= oldest.length;
  }
  verified.set(token, read);
  chars += token.length;
}

const ALGORITHM = { name: "HMAC", hash: "SHA-256" };
const keys = new Map<string, CryptoKey>();

/** The HS256 key of a deployment, imported once per isolate. */
export async function signingKey(secret: string): Promise<CryptoKey> {
  const known = keys.get(secret);
  if (known !== undefined) {
    return known;
  }
  const bytes = new TextEncoder().encode(secret);
  const key = await crypto.subtle.importKey("raw", bytes, ALGORITHM, false, ["sign", "verify"]);
  keys.clear();
  keys.set(secret, key);
  return key;
}

export const TOKEN_ISSUER = "edgeloom";

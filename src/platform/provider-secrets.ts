/** Encryption of providers' keys and headers at rest (docs/contract/models.md#providers). */

const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const FORMAT = "v1";

/** The place that a secret belongs to; the same text is not accepted at any other. */
export interface SecretPlace {
  readonly scope: "system" | "workspace";
  /** Null for the system. */
  readonly workspaceId: string | null;
  readonly providerId: string;
  readonly field: "api_key" | "headers";
}

/**
 * The keys of `PROVIDER_KEYS_SECRET`: base64 of 32 bytes each, separated by commas. Returns undefined if one is
 * malformed or there is none.
 */
export function parseSecretKeys(secret: string): readonly Uint8Array<ArrayBuffer>[] | undefined {
  const keys = secret.split(",").map((text) => fromBase64(text.trim()));
  return keys.every((key) => key?.byteLength === KEY_BYTES)
    ? keys.flatMap((key) => (key === undefined ? [] : [key]))
    : undefined;
}

/** Encrypts with AES-256-GCM, the first key of the list and a random nonce. Throws TypeError for a malformed list. */
export async function sealSecret(
  secret: string,
  place: SecretPlace,
  text: string,
): Promise<string> {
  const [key] = await importKeys(secret);
  if (key === undefined) {
    throw new TypeError("PROVIDER_KEYS_SECRET is malformed.");
  }
  const iv = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
  const sealed = await crypto.subtle.encrypt(
    { name: "AES-GCM", iv, additionalData: associated(place) },
    key,
    new TextEncoder().encode(text),
  );
  return [FORMAT, toBase64(iv), toBase64(new Uint8Array(sealed))].join(".");
}

/**
 * Decrypts with the key of the list that encrypted the text. Returns undefined if none did, for this place: the key was
 * removed from the list, or the stored text was changed or moved.
 */
export async function openSecret(
  secret: string,
  place: SecretPlace,
  sealed: string,
): Promise<string | undefined> {
  const [format, nonce = "", bytes = ""] = sealed.split(".");
  const iv = fromBase64(nonce);
  const data = fromBase64(bytes);
  if (format !== FORMAT || iv === undefined || data === undefined) {
    return undefined;
  }
  for (const key of await importKeys(secret)) {
    try {
      const opened = await crypto.subtle.decrypt(
        { name: "AES-GCM", iv, additionalData: associated(place) },
        key,
        data,
      );
      return new TextDecoder().decode(opened);
    } catch {
      // Another key of the list may be the right one; the tag proves that this one is not.
    }
  }
  return undefined;
}

async function importKeys(secret: string): Promise<CryptoKey[]> {
  const usages: ("encrypt" | "decrypt")[] = ["encrypt", "decrypt"];
  return Promise.all(
    (parseSecretKeys(secret) ?? []).map((bytes) =>
      crypto.subtle.importKey("raw", bytes, "AES-GCM", false, usages),
    ),
  );
}

function associated({ scope, workspaceId, providerId, field }: SecretPlace) {
  return new TextEncoder().encode(JSON.stringify([scope, workspaceId, providerId, field]));
}

function toBase64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text)) {
    return undefined;
  }
  try {
    return Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
  } catch {
    return undefined;
  }
}

import { createHmac, randomBytes } from "node:crypto";

const SECRET_PREFIX = "whsec_";
/** docs/contract/webhooks.md#endpoints */
const SECRET_BYTES = 32;

/** A new signing secret: the prefix and 256 bits in base64. */
export function newSigningSecret(): string {
  return SECRET_PREFIX + randomBytes(SECRET_BYTES).toString("base64");
}

export interface SignedMessage {
  readonly id: string;
  /** Unix seconds. */
  readonly timestamp: number;
  readonly body: string;
}

/**
 * Value of the `webhook-signature` header: one `v1,<base64>` for each secret, separated by spaces
 * (Standard Webhooks 1.0; docs/contract/webhooks.md#signatures). The key is the base64 text after
 * the prefix.
 */
export function signWebhook(message: SignedMessage, secrets: readonly string[]): string {
  const content = `${message.id}.${message.timestamp}.${message.body}`;
  return secrets
    .map((secret) => {
      const key = Buffer.from(secret.slice(SECRET_PREFIX.length), "base64");
      return `v1,${createHmac("sha256", key).update(content).digest("base64")}`;
    })
    .join(" ");
}

/** Claims of embed tokens, read after the signature was verified (docs/contract/embeds.md#claims). */
import * as z from "zod";
import { EMBED_SUBJECTS } from "./embed-permissions.ts";

const text = z.string().min(1);
const times = { iss: text, jti: text, iat: z.int(), exp: z.int() };
const texts = z.array(z.string());

/** A runtime token: one workflow, and one interface or any (`if` null). */
export const RuntimeClaims = z.strictObject({
  ...times,
  sub: z.literal(EMBED_SUBJECTS.runtime),
  /** `wf_…` */
  wf: text,
  /** `int_…`; null if the token does not fix the interface. */
  if: text.nullable(),
  org_id: text,
  ws_id: text,
  /** The API key that minted the token. */
  aki: text,
  permissions: texts,
  /** Origins as the URL standard serializes them, in the order of the request. */
  allowed_origins: texts,
  /** Null for any number. */
  max_executions: z.int().positive().nullable(),
  end_user_id: text.nullable(),
});
export type RuntimeClaims = z.infer<typeof RuntimeClaims>;

/** An editor token: a bearer of `/api/v1` with the key's rights, for a page of another origin. */
export const EditorClaims = z.strictObject({
  ...times,
  sub: z.literal(EMBED_SUBJECTS.editor),
  /** A key has no person: the key's id, as in `aki`. */
  uid: text,
  org_id: text,
  ws_id: text,
  aki: text,
  email_verified: z.literal(true),
  org_role: z.literal("service"),
  ws_role: z.literal("service"),
  permissions: texts,
  allowed_origins: texts,
  end_user_id: text.nullable(),
});
export type EditorClaims = z.infer<typeof EditorClaims>;

export type EmbedClaims = RuntimeClaims | EditorClaims;

/** An embed token whose signature was verified. It may have expired. */
export type SignedEmbedToken = { readonly expiresAtMs: number } & (
  | { readonly kind: "runtime"; readonly claims: RuntimeClaims }
  | { readonly kind: "editor"; readonly claims: EditorClaims }
);

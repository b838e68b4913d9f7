import type { Permission } from "../workspaces/access.ts";

/** The permissions that a runtime token may carry: those of its key among these (docs/contract/embeds.md#tokens). */
export const EMBED_PERMISSIONS = [
  "ws:assets:manage",
  "ws:assets:read",
  "ws:executions:create",
  "ws:executions:read",
  "ws:workflows:read",
] as const satisfies readonly Permission[];
export type EmbedPermission = (typeof EMBED_PERMISSIONS)[number];

/** Subjects of embed tokens. Access tokens have the id of their key as the subject instead. */
export const EMBED_SUBJECTS = { runtime: "embed", editor: "embed_editor" } as const;

/** Why an embed token was refused: member `reason` of the problem (docs/contract/embeds.md#refusals). */
export const EMBED_TOKEN_REASONS = [
  "token_missing",
  "token_invalid",
  "token_expired",
  "token_revoked",
] as const;
export type EmbedTokenReason = (typeof EMBED_TOKEN_REASONS)[number];

import * as z from "zod";

/** The scopes that an API key may have (docs/contract/access.md#scopes). */
export const SCOPES = [
  "executions:read",
  "executions:write",
  "workflows:read",
  "workflows:write",
  "assets:read",
  "assets:write",
  "templates:read",
  "templates:write",
  "webhooks:read",
  "webhooks:write",
  "embeds:write",
] as const;
export const Scope = z.enum(SCOPES);
export type Scope = z.infer<typeof Scope>;

/** Permissions of a key in its workspace (docs/contract/access.md#scopes). */
export const PERMISSIONS = [
  "ws:assets:read",
  "ws:assets:manage",
  "ws:executions:create",
  "ws:executions:read",
  "ws:workflows:read",
  "ws:workflows:manage",
  "ws:webhooks:manage",
  "ws:templates:read",
  "ws:templates:manage",
] as const;
export const Permission = z.enum(PERMISSIONS);
export type Permission = z.infer<typeof Permission>;

/** What the page offers, by the claims of its token. The service decides: this only leaves out what it would refuse. */
import type { Rights } from "./state/store.ts";

/** A token that cannot be read offers everything; the service refuses what it does not allow. */
export function rightsOf(token: string): Rights {
  const listed = claimsOf(token)?.["permissions"];
  const permissions = Array.isArray(listed) ? new Set<unknown>(listed) : undefined;
  return {
    canEdit: permissions?.has("ws:workflows:manage") ?? true,
    canRun: permissions?.has("ws:executions:create") ?? true,
  };
}

/** Whether a token may take the place of another one: a token of the editor for the same workspace. */
export function mayReplace(before: string, next: string): boolean {
  const [had, has] = [claimsOf(before), claimsOf(next)];
  return (
    has !== undefined && ["sub", "ws_id", "org_id"].every((claim) => had?.[claim] === has[claim])
  );
}

/** The claims of a JWT, unverified; undefined if the text is not one. */
function claimsOf(token: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const [, payload = ""] = token.split(".");
    const bytes = Uint8Array.from(atob(payload.replaceAll("-", "+").replaceAll("_", "/")), (unit) =>
      unit.charCodeAt(0),
    );
    const claims: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return typeof claims === "object" && claims !== null ? { ...claims } : undefined;
  } catch {
    return undefined;
  }
}

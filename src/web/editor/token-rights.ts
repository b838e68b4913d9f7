/** What the page offers, by the claims of its token. The service decides: this only leaves out what it would refuse. */
import type { Rights } from "./state/store.ts";

/** A token that cannot be read offers everything; the service refuses what it does not allow. */
export function rightsOf(token: string): Rights {
  const permissions = permissionsOf(token);
  return {
    canEdit: permissions?.has("ws:workflows:manage") ?? true,
    canRun: permissions?.has("ws:executions:create") ?? true,
  };
}

function permissionsOf(token: string): ReadonlySet<unknown> | undefined {
  try {
    const [, payload = ""] = token.split(".");
    const bytes = Uint8Array.from(atob(payload.replaceAll("-", "+").replaceAll("_", "/")), (unit) =>
      unit.charCodeAt(0),
    );
    const claims: unknown = JSON.parse(new TextDecoder().decode(bytes));
    const listed =
      typeof claims === "object" && claims !== null && "permissions" in claims
        ? claims.permissions
        : undefined;
    return Array.isArray(listed) ? new Set<unknown>(listed) : undefined;
  } catch {
    return undefined;
  }
}

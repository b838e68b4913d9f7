/** A workspace whose run was started or read this long ago still counts as active. */
export const ACTIVE_MS = 250;

/**
 * Which workspaces' runs were asked for lately, over all run objects of an isolate. Two are enough
 * to tell any one of them that there are others.
 */
export class ActiveTenants {
  #latest: { readonly workspaceId: string; readonly atMs: number } | undefined;
  /** The latest of another workspace than `#latest`. */
  #other: { readonly workspaceId: string; readonly atMs: number } | undefined;

  note(workspaceId: string, nowMs: number): void {
    if (this.#latest !== undefined && this.#latest.workspaceId !== workspaceId) {
      this.#other = this.#latest;
    }
    this.#latest = { workspaceId, atMs: nowMs };
  }

  /** Whether another workspace than this one was active just now. */
  hasOthers(workspaceId: string, nowMs: number): boolean {
    const seen = this.#latest?.workspaceId === workspaceId ? this.#other : this.#latest;
    const sinceMs = seen === undefined ? Infinity : nowMs - seen.atMs;
    // A clock that stepped back makes nobody active for as long as it stepped.
    return sinceMs >= 0 && sinceMs <= ACTIVE_MS;
  }
}

/** Of this isolate. */
const tenants = new ActiveTenants();

/**
 * A run of this workspace was asked for. Kept locally only, where the runner has the same thread: on
 * Cloudflare it is elsewhere, and nothing that it left undone would help anybody here.
 */
export function noteTenant(env: { readonly ENVIRONMENT: string }, workspaceId: string): void {
  if (env.ENVIRONMENT === "local") {
    tenants.note(workspaceId, Date.now());
  }
}

/** What a run of this workspace tells its executors of others on their thread; see `Claim`. */
export function neighboursOf(workspaceId: string): { readonly others_active?: true } {
  return tenants.hasOthers(workspaceId, Date.now()) ? { others_active: true } : {};
}

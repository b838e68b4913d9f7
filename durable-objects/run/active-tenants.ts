/** A workspace with a run that was started or read this recently counts as active. */
export const ACTIVE_MS = 250;

/**
 * The workspaces whose runs were called recently, over all run objects of an isolate. Two entries are enough to
 * determine for any workspace whether another one is active.
 */
export class ActiveTenants {
  #latest: { readonly workspaceId: string; readonly atMs: number } | undefined;
  /** The latest call of another workspace than `#latest`. */
  #other: { readonly workspaceId: string; readonly atMs: number } | undefined;

  note(workspaceId: string, nowMs: number): void {
    if (this.#latest !== undefined && this.#latest.workspaceId !== workspaceId) {
      this.#other = this.#latest;
    }
    this.#latest = { workspaceId, atMs: nowMs };
  }

  /** Whether a workspace other than this one was active recently. */
  hasOthers(workspaceId: string, nowMs: number): boolean {
    const seen = this.#latest?.workspaceId === workspaceId ? this.#other : this.#latest;
    const sinceMs = seen === undefined ? Infinity : nowMs - seen.atMs;
    // A clock that stepped back must not keep a workspace active for that time.
    return sinceMs >= 0 && sinceMs <= ACTIVE_MS;
  }
}

/** One instance per isolate. */
const tenants = new ActiveTenants();

/**
 * Records a call to a run of this workspace. Used in the local service only, where the runner shares the thread: on
 * Cloudflare it runs elsewhere, so leaving the thread to others would not help.
 */
export function noteTenant(env: { readonly ENVIRONMENT: string }, workspaceId: string): void {
  if (env.ENVIRONMENT === "local") {
    tenants.note(workspaceId, Date.now());
  }
}

/** What a run of this workspace tells its executors about other workspaces on their thread; see `Claim`. */
export function neighboursOf(workspaceId: string): { readonly others_active?: true } {
  return tenants.hasOthers(workspaceId, Date.now()) ? { others_active: true } : {};
}

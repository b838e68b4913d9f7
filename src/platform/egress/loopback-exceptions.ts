/** The environment variables that restrict outgoing requests. */
export interface EgressEnv {
  readonly ENVIRONMENT: string;
  readonly EGRESS_ALLOW_LOOPBACK?: string;
  /** The same for operators' addresses (`check-operator-url.ts`). */
  readonly PROVIDERS_ALLOW_LOOPBACK?: string;
  /** In the local service, the machine's own resolver. */
  readonly RESOLVER?: { fetch(url: string): Promise<Response> };
}

/**
 * The literal `host:port` entries of EGRESS_ALLOW_LOOPBACK. Empty outside local mode, whatever the variable contains
 * (docs/contract/local-service.md#loopback-exceptions).
 */
export function loopbackExceptions(env: EgressEnv): ReadonlySet<string> {
  return loopbackEntries(env, "EGRESS_ALLOW_LOOPBACK");
}

/** The comma-separated entries of such a variable; empty outside local mode. */
export function loopbackEntries(
  env: EgressEnv,
  name: "EGRESS_ALLOW_LOOPBACK" | "PROVIDERS_ALLOW_LOOPBACK",
): ReadonlySet<string> {
  if (env.ENVIRONMENT !== "local") {
    return new Set();
  }
  const entries = (env[name] ?? "").split(",").map((entry) => entry.trim());
  return new Set(entries.filter((entry) => entry !== ""));
}

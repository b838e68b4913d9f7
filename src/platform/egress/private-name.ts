import { isPublicAddress } from "./check-address.ts";
import type { EgressEnv } from "./loopback-exceptions.ts";
import { privateAddressOf } from "./resolve-host.ts";

/**
 * Whether a URL's host is a name that resolves to an address that is not public. On Cloudflare the name is resolved
 * over HTTPS, in the local service by the machine's own resolver, which its network uses too. False for an IP address,
 * and if no resolver responds: the connection fails in that case.
 */
export async function resolvesToPrivate(
  env: EgressEnv,
  { hostname }: URL,
  send: typeof fetch,
): Promise<boolean> {
  if (hostname.startsWith("[")) {
    return false;
  }
  if (env.ENVIRONMENT !== "local") {
    return (await privateAddressOf(hostname, send)) !== undefined;
  }
  if (env.RESOLVER === undefined) {
    return false;
  }
  const response = await env.RESOLVER.fetch(
    `http://resolver/?name=${encodeURIComponent(hostname)}`,
  );
  const addresses: readonly string[] = await response.json();
  return addresses.some((address) => !isPublicAddress(address));
}

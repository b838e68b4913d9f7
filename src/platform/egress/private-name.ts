import { isPublicAddress } from "./check-address.ts";
import type { EgressEnv } from "./loopback-exceptions.ts";
import { privateAddressOf } from "./resolve-host.ts";

/**
 * Whether a URL's host is a name that resolves to an address that is not public. On Cloudflare the
 * name is asked of a resolver over HTTPS, in the local service of the machine's own, which its
 * network asks too. False for an address, and where nobody answers: then the connection fails.
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

import { isPublicAddress } from "./check-address.ts";
import { addressOf, isCanonical, parseAddress } from "./check-url.ts";
import { type EgressEnv, loopbackEntries } from "./loopback-exceptions.ts";

export type BaseUrlCheck =
  | { readonly isAllowed: true; readonly base: URL }
  | { readonly isAllowed: false; readonly reason: string };

/**
 * The literal `host:port` entries of PROVIDERS_ALLOW_LOOPBACK: hosts of this machine that operators may use as provider
 * addresses. Empty outside local mode. Independent of EGRESS_ALLOW_LOOPBACK, which applies to callers' addresses only.
 */
export function providerLoopback(env: EgressEnv): ReadonlySet<string> {
  return loopbackEntries(env, "PROVIDERS_ALLOW_LOOPBACK");
}

/**
 * Whether an operator may configure this address as the base URL of an API that the service calls: https, any port, a
 * name or a public address, without user, query and fragment; plain HTTP only for the hosts in `loopback`, in their
 * canonical spelling. Unlike a caller's address, it may be a name of the operator's private network. Pure. The reason
 * names the rule and never contains the address.
 */
export function checkBaseUrl(text: string, loopback: ReadonlySet<string>): BaseUrlCheck {
  const url = parseAddress(text);
  if (typeof url === "string") {
    return refused(url);
  }
  // The URL parser drops an empty query or fragment, so look for the characters themselves.
  if (text.includes("?") || text.includes("#")) {
    return refused("it holds a query or a fragment");
  }
  const port = url.port === "" ? (url.protocol === "https:" ? "443" : "80") : url.port;
  if (loopback.has(`${url.hostname}:${port}`) && isCanonical(text, url)) {
    return { isAllowed: true, base: url };
  }
  if (url.protocol !== "https:") {
    return refused("its scheme is http: and must be https:");
  }
  const literal = addressOf(url.hostname);
  if (literal !== undefined) {
    return isPublicAddress(literal)
      ? { isAllowed: true, base: url }
      : refused("its host is not a public address");
  }
  const labels = url.hostname.split(".");
  if (labels.includes("")) {
    return refused("its host has an empty label");
  }
  return labels.at(-1) === "localhost"
    ? refused("its host is localhost")
    : { isAllowed: true, base: url };
}

/**
 * Joins the base URL and a path of the API. The result is always below the base. Throws for a path without a leading
 * slash.
 */
export function urlBelow(base: URL, path: string): URL {
  if (!path.startsWith("/")) {
    throw new TypeError("A path of an API begins with a slash.");
  }
  // Joined as text: URL resolution would turn a path with two slashes into another host and one with dots into another
  // base.
  const prefix = base.pathname.replace(/\/+$/, "");
  const url = new URL(`${base.origin}${prefix}${path}`);
  if (url.origin !== base.origin || !url.pathname.startsWith(`${prefix}/`)) {
    throw new TypeError("A path of an API must stay below its base.");
  }
  return url;
}

/**
 * Returns a URL from an API's response (of a job's status or cancellation) if it may be called with the API's
 * credentials: same origin as the base, without user and fragment. Returns undefined for any other; callers then use
 * the documented path below the base.
 */
export function ofBase(base: URL, named: unknown): URL | undefined {
  const url = typeof named === "string" ? parseAddress(named) : "";
  return typeof url !== "string" && url.origin === base.origin && url.hash === "" ? url : undefined;
}

function refused(reason: string): BaseUrlCheck {
  return { isAllowed: false, reason };
}

import { isPublicAddress } from "./check-address.ts";
import { addressOf, isCanonical, parseAddress } from "./check-url.ts";
import { type EgressEnv, loopbackEntries } from "./loopback-exceptions.ts";

export type BaseUrlCheck =
  | { readonly isAllowed: true; readonly base: URL }
  | { readonly isAllowed: false; readonly reason: string };

/**
 * The literal `host:port` entries of PROVIDERS_ALLOW_LOOPBACK: hosts of this machine that may be an
 * operator's address. Empty outside of the local mode. They open nothing for callers' addresses, and
 * what EGRESS_ALLOW_LOOPBACK opens for those opens nothing here.
 */
export function providerLoopback(env: EgressEnv): ReadonlySet<string> {
  return loopbackEntries(env, "PROVIDERS_ALLOW_LOOPBACK");
}

/**
 * Whether an operator may name this address as the base of an API that the service calls: https, any
 * port, a name or a public address, without user, query and fragment; plain HTTP only on the hosts in
 * `loopback`, in their canonical spelling. A name of the operator's own network may stand there, unlike in a caller's address.
 * Pure. The reason names the rule, never the address.
 */
export function checkBaseUrl(text: string, loopback: ReadonlySet<string>): BaseUrlCheck {
  const url = parseAddress(text);
  if (typeof url === "string") {
    return refused(url);
  }
  // The parser keeps neither of an empty one, and both would be lost when a path is added.
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

/** Where a path of the API is: below the base, whatever the path holds. Throws for one without a leading slash. */
export function urlBelow(base: URL, path: string): URL {
  if (!path.startsWith("/")) {
    throw new TypeError("A path of an API begins with a slash.");
  }
  // Joined as text: resolved, a path of two slashes would be another host, and one of dots another base.
  const prefix = base.pathname.replace(/\/+$/, "");
  const url = new URL(`${base.origin}${prefix}${path}`);
  if (url.origin !== base.origin || !url.pathname.startsWith(`${prefix}/`)) {
    throw new TypeError("A path of an API must stay below its base.");
  }
  return url;
}

/**
 * An address that an API's answer names (of a job's state, of its cancellation), if it may be called
 * as the API itself is, key included: of the base's own origin, without user and fragment.
 * Undefined for any other: then the documented path on the base is what to call.
 */
export function ofBase(base: URL, named: unknown): URL | undefined {
  const url = typeof named === "string" ? parseAddress(named) : "";
  return typeof url !== "string" && url.origin === base.origin && url.hash === "" ? url : undefined;
}

function refused(reason: string): BaseUrlCheck {
  return { isAllowed: false, reason };
}

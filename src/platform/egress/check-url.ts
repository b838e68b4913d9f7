import { isPublicAddress } from "./check-address.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";

const URL_CHARS_MAX = LIMITS.url.value;
const HOST_CHARS_MAX = 253;
const LABEL_CHARS_MAX = 63;

/** Names that resolve inside private networks (RFC 6761, 6762, 8375, and names that routers assign). */
const PRIVATE_SUFFIXES = ["local", "internal", "localhost", "localdomain", "lan", "home.arpa"];

export interface UrlPolicy {
  /** Literal `host:port` entries that may be called over HTTP or HTTPS: the exceptions of local mode. */
  readonly loopback: ReadonlySet<string>;
  /** Whether a public IP address is accepted instead of a name. */
  readonly allowsIpLiterals: boolean;
}

export type UrlCheck =
  | { readonly isAllowed: true; readonly url: URL; readonly isLoopback: boolean }
  | { readonly isAllowed: false; readonly reason: string };

/**
 * Whether the service may send a request to this URL: https, a public host, port 443, no credentials
 * (docs/contract/webhooks.md#receiver-addresses, docs/contract/assets.md#import). Pure. The reason names the rule and
 * never contains the URL, whose path or query may hold a secret.
 */
export function checkUrl(text: string, policy: UrlPolicy): UrlCheck {
  const parsed = parseAddress(text);
  if (typeof parsed === "string") {
    return refused(parsed);
  }
  const url = parsed;
  const port = url.port === "" ? (url.protocol === "https:" ? "443" : "80") : url.port;
  if (policy.loopback.has(`${url.hostname}:${port}`) && isCanonical(text, url)) {
    return { isAllowed: true, url, isLoopback: true };
  }
  if (url.protocol !== "https:") {
    return refused("its scheme is http: and must be https:");
  }
  if (url.port !== "") {
    return refused("its port is not 443");
  }
  const reason = hostProblem(url.hostname, policy);
  return reason === undefined ? { isAllowed: true, url, isLoopback: false } : refused(reason);
}

/** Parses an HTTP or HTTPS URL without credentials; returns the violated rule otherwise. */
export function parseAddress(text: string): URL | string {
  if (text.length > URL_CHARS_MAX) {
    return `it has more than ${URL_CHARS_MAX} characters`;
  }
  // The parser drops or changes these characters, so the text and the parsed URL would differ in meaning.
  // oxlint-disable-next-line no-control-regex -- refusing control characters is the point
  if (/[\u0000-\u0020\u007f\\]/.test(text) || !text.isWellFormed()) {
    return "it holds white space, control characters or a backslash";
  }
  const url = URL.parse(text);
  if (url === null) {
    return "it is not a URL";
  }
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    return `its scheme is ${url.protocol.slice(0, 20)} and must be https:`;
  }
  if (url.username !== "" || url.password !== "") {
    return "it holds credentials";
  }
  return url;
}

/** Whether a text spells its origin as the parser does: no `127.1`, no `0x7f.1`, no upper case. */
export function isCanonical(text: string, url: URL): boolean {
  return text.startsWith(url.origin) && /^(?:[/?#]|$)/.test(text.slice(url.origin.length));
}

/** Returns the rule that a host violates. `host` comes from the URL parser: lower case, punycode, numbers resolved. */
function hostProblem(host: string, policy: UrlPolicy): string | undefined {
  const literal = addressOf(host);
  if (literal !== undefined) {
    if (!policy.allowsIpLiterals) {
      return "its host is an address and must be a name";
    }
    return isPublicAddress(literal) ? undefined : "its host is not a public address";
  }
  const labels = host.split(".");
  if (labels.length < 2) {
    return "its host is a name without a dot";
  }
  // Includes a trailing dot: `localhost.` and `name.` resolve like the name without it but would pass a comparison of
  // names.
  if (labels.includes("")) {
    return "its host has an empty label";
  }
  if (host.length > HOST_CHARS_MAX || labels.some((label) => label.length > LABEL_CHARS_MAX)) {
    return "its host is too long for a name";
  }
  if (PRIVATE_SUFFIXES.some((suffix) => host === suffix || host.endsWith(`.${suffix}`))) {
    return "its host is a name of a private network";
  }
  return undefined;
}

/** Returns the IP address of a host, undefined if the host is a name. */
export function addressOf(host: string): string | undefined {
  if (host.startsWith("[")) {
    return host.slice(1, -1);
  }
  return /^\d{1,3}(\.\d{1,3}){3}$/.test(host) ? host : undefined;
}

function refused(reason: string): UrlCheck {
  return { isAllowed: false, reason };
}

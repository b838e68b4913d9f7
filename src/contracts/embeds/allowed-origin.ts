import * as z from "zod";
import { LIMITS } from "../../lib/limits/limits-table.ts";

/** `scheme://authority`, and nothing that the URL parser would repair or drop. */
const SHAPE = /^(?:https?):\/\/[^\s/\\?#@*]+$/i;
/** Letters of DNS names and IPv4 addresses, or a bracketed IPv6 address: no character that a header gives a meaning. */
const HOST = /^(?:[a-z0-9_.-]{1,253}|\[[0-9a-f:.]+\])$/;
const LOOPBACK = /^(?:(?:[a-z0-9_.-]+\.)?localhost|127\.0\.0\.1|\[::1\])$/;

const RULE =
  "Must be an origin of the page that embeds, like https://app.example.com or https://app.example.com:8443: no path, query, credentials or wildcard; http only for localhost, 127.0.0.1 and [::1]";

/**
 * An origin as the URL standard serializes it (https://url.spec.whatwg.org/#origin): lower case, punycode, without the
 * default port. One trailing slash is taken off. Undefined for anything else than an exact origin of `https`, or of
 * `http` on a loopback name.
 */
export function normalizeOrigin(given: string): string | undefined {
  const text = given.endsWith("/") ? given.slice(0, -1) : given;
  if (!SHAPE.test(text) || text.endsWith(":")) {
    return undefined;
  }
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return undefined;
  }
  const isAllowed =
    HOST.test(url.hostname) && (url.protocol === "https:" || LOOPBACK.test(url.hostname));
  return isAllowed && url.pathname === "/" ? url.origin : undefined;
}

/** Origins that may show the frame, normalized; duplicates merge in the order of their first occurrence. */
export const allowedOriginsField = z
  .array(
    z.string().transform((given, refinement) => {
      const origin = normalizeOrigin(given);
      if (origin === undefined) {
        refinement.addIssue({ code: "custom", message: RULE });
        return z.NEVER;
      }
      return origin;
    }),
  )
  .min(1)
  .max(LIMITS.embed_origins.value)
  .transform((origins) => [...new Set(origins)]);

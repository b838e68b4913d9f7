/**
 * Pages of any origin may read public file addresses, because the address is the permission. API responses have no such
 * header: API keys do not belong in browsers.
 */

/** Sent with every response of such a route, including problems, so that a page can distinguish them. */
export const CROSS_ORIGIN_HEADERS = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "Content-Length, Content-Range, ETag",
} as const;

/** Request headers for a part of a file, and for conditional requests. */
const REQUEST_HEADERS =
  "Range, If-Range, If-Match, If-None-Match, If-Modified-Since, If-Unmodified-Since";
const PREFLIGHT_MAX_AGE_S = 86_400;

/** The response to a preflight request. */
export function preflight(): Response {
  return new Response(null, {
    status: 204,
    headers: {
      ...CROSS_ORIGIN_HEADERS,
      "access-control-allow-methods": "GET, HEAD, OPTIONS",
      "access-control-allow-headers": REQUEST_HEADERS,
      "access-control-max-age": String(PREFLIGHT_MAX_AGE_S),
      allow: "GET, HEAD, OPTIONS",
      "cache-control": `public, max-age=${PREFLIGHT_MAX_AGE_S}`,
    },
  });
}

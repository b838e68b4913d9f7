/**
 * Public file addresses may be read by a page of any origin: the address is the permission. The API
 * answers no such header: keys do not belong in browsers.
 */

/** On every answer of such a route, problems too, so that a page can tell them apart. */
export const CROSS_ORIGIN_HEADERS = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "Content-Length, Content-Range, ETag",
} as const;

/** Headers of a request for a part of a file, or for a file that may be known. */
const REQUEST_HEADERS =
  "Range, If-Range, If-Match, If-None-Match, If-Modified-Since, If-Unmodified-Since";
const PREFLIGHT_MAX_AGE_S = 86_400;

/** The answer to a browser that asks whether it may ask. */
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

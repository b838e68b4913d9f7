/** The headers of responses in the OpenAPI document. */
import {
  embedPermission,
  type EndpointDeclaration,
  type ResponseSpec,
} from "../endpoint-declaration.ts";

type Json = Record<string, unknown>;

export function headersOf(spec: ResponseSpec): Json {
  const headers: Json = {
    "X-Correlation-ID": {
      description:
        "The request's `X-Correlation-ID`, if it is 1 to 200 characters of printable ASCII; otherwise a new UUID.",
      schema: { type: "string" },
    },
  };
  for (const [name, description] of Object.entries(spec.headers ?? {})) {
    headers[name] = { description, schema: { type: "string" } };
  }
  return headers;
}

const LIMIT_HEADERS = Object.fromEntries(
  Object.entries({
    "X-RateLimit-Limit":
      "Requests allowed in the tightest window. This header and the other four are advisory.",
    "X-RateLimit-Remaining": "Requests remaining in that window.",
    "X-RateLimit-Reset": "When that window is empty again, in seconds since 1970.",
    RateLimit:
      "The same for every window, as in the draft standard: r requests remaining, t seconds until the window is empty.",
    "RateLimit-Policy": "The windows themselves: q requests in w seconds.",
  }).map(([name, description]) => [name, { description, schema: { type: "string" } }]),
);

/**
 * Rate-limit headers are documented on every response of routes with a caller and of routes that limit by themselves.
 */
export function limitHeadersOf({ access, errors }: EndpointDeclaration): Json {
  const isCounted = typeof access === "object" || embedPermission(access) !== undefined;
  return isCounted || errors.includes("too_many_requests") ? LIMIT_HEADERS : {};
}

export function retryHeadersOf(status: number): Json {
  return status === 429 || status === 503
    ? {
        "Retry-After": {
          description: "Seconds to wait before trying again.",
          schema: { type: "integer", minimum: 1 },
        },
      }
    : {};
}

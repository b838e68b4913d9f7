import type { MiddlewareHandler } from "hono";
import { isEnvUsable } from "../../platform/check-env.ts";
import { createContext } from "../../platform/create-context.ts";
import { AppError } from "../../lib/errors/errors.ts";
import type { AppEnv } from "../app-env.ts";
import type { EndpointDeclaration } from "../endpoint-declaration.ts";
import { drainBody } from "../drain-body.ts";
import { problemResponse } from "../problem-response.ts";
import { compressed } from "./compress.ts";
import { CROSS_ORIGIN_HEADERS } from "./cross-origin.ts";

/** Visible ASCII and inner spaces: safe in a header and in a log line. */
const CORRELATION_ID = /^[\x21-\x7e](?:[\x20-\x7e]{0,198}[\x21-\x7e])?$/;

/**
 * The first middleware: sets the request's correlation id and context, refuses to serve from an invalid deployment, and
 * writes the request's one log line. It never logs a query, which may contain a token, nor the raw path of a public
 * route, which may be a secret itself.
 */
export function observeRequest(): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    const startedMs = performance.now();
    const given = c.req.raw.headers.get("x-correlation-id");
    const correlationId =
      given !== null && CORRELATION_ID.test(given) ? given : crypto.randomUUID();
    const ctx = createContext(
      c.env,
      correlationId,
      baseUrlOf(c.env.BASE_URL, c.req.url),
      (promise) => c.executionCtx.waitUntil(promise),
    );
    c.set("ctx", ctx);
    if (isEnvUsable(c.env)) {
      await next();
    } else {
      c.res = problemResponse(
        c,
        new AppError(
          "internal_error",
          "This deployment is misconfigured. Its log names the problem.",
        ),
      );
    }
    if (c.res.status >= 400 && c.req.raw.body !== null) {
      await drainBody(c.req.raw);
    }
    if (c.env.ENVIRONMENT === "local") {
      const reply = await compressed(c.req.raw, c.res);
      // Hono would copy the previous response's headers over the new one's.
      c.res = undefined;
      c.res = reply;
    }
    const endpoint = c.var.endpoint;
    const headers = {
      "x-correlation-id": correlationId,
      "x-content-type-options": "nosniff",
      ...c.var.rateLimit,
      ...storageOf(endpoint, c.res),
      ...(endpoint?.isCrossOrigin === true && CROSS_ORIGIN_HEADERS),
    };
    setHeaders(c.res, headers, (response) => {
      c.res = response;
    });
    const isPathSecret = endpoint?.access === "public";
    ctx.log.info("request", {
      method: c.req.method,
      path: isPathSecret ? endpoint.path : c.req.path.slice(0, 200),
      operation: endpoint?.operationId,
      status: c.res.status,
      duration_ms: Math.round((performance.now() - startedMs) * 100) / 100,
      workspace_id: c.var.principal?.workspaceId,
      key_id: c.var.principal?.keyId,
    });
  };
}

/** Responses to authenticated callers must not be stored in shared caches. */
function storageOf(
  endpoint: EndpointDeclaration | undefined,
  response: Response,
): Record<string, string> {
  const given = response.headers.get("cache-control") ?? "";
  const isAuthorised = endpoint !== undefined && endpoint.access !== "public";
  return isAuthorised && !/\b(?:no-store|private)\b/.test(given)
    ? { "cache-control": "no-store" }
    : {};
}

function baseUrlOf(configured: string, url: string): string {
  return configured === "" || configured === undefined
    ? url.slice(0, url.indexOf("/", 8))
    : configured;
}

function setHeaders(
  response: Response,
  headers: Readonly<Record<string, string>>,
  replace: (r: Response) => void,
) {
  try {
    setAll(response, headers);
  } catch {
    // A response from fetch or a binding has immutable headers.
    const copy = new Response(response.body, response);
    setAll(copy, headers);
    replace(copy);
  }
}

function setAll(response: Response, headers: Readonly<Record<string, string>>): void {
  for (const name in headers) {
    response.headers.set(name, headers[name] ?? "");
  }
}

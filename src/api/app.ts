/**
 * The HTTP application. To add an endpoint:
 *
 * 1. Create one file per endpoint, `src/api/<resource>/<verb-noun>.ts`. It exports one `defineEndpoint({…})` named
 *   after the file. Access (`access`), request schemas, responses and error codes are declared beside the handler; the
 *   router, the checks and the OpenAPI document use this one object.
 * 2. Write the handler as `handle(ctx, { params, query, headers, body, exactBody }, c)`: it receives parsed input,
 *   makes one domain call and returns `{ status, body, headers? }` (or `{ response }` for bytes and streams). Errors
 *   are thrown as AppError. `ctx.principal` exists on every route with a scope. `exactBody()` returns the body with the
 *   exact digits of every number. Helpers for query integers and lists are in `query-fields.ts`, for ids in
 *   `id-field.ts`, for the list envelope in `contracts/list.ts`.
 * 3. List it in `routes.ts`. A test fails for a file that is not listed.
 *
 * export const getWorkflow = defineEndpoint({
 * method: "get",
 * path: "/api/v1/workflows/{id}",
 * operationId: "getWorkflow",
 * summary: "Read a workflow",
 * tag: "Workflows",
 * access: { scope: "workflows:read", permission: "ws:workflows:read" },
 * request: { params: z.object({ id: idField("workflow") }) },
 * responses: { 200: { description: "The workflow", body: WorkflowDetail } },
 * errors: ["invalid_id", "not_found"],
 * handle: async (ctx, { params }) => ({ status: 200, body: await readWorkflow(ctx, params.id) }),
 * });
 */
import { type Context, Hono } from "hono";
import { AppError } from "../lib/errors/errors.ts";
import type { Page } from "../platform/page.ts";
import type { AppEnv } from "./app-env.ts";
import type { Endpoint } from "./define-endpoint.ts";
import { preflight } from "./middleware/cross-origin.ts";
import { observeRequest } from "./middleware/observe-request.ts";
import { problemResponse } from "./problem-response.ts";

export type App = Hono<AppEnv>;

/** Builds the application once per isolate, from ENDPOINTS and PAGES or from a test's own lists. */
export function createApp(apiEndpoints: readonly Endpoint[], pages: readonly Page[] = []): App {
  const endpoints = [...apiEndpoints, ...pages.map(toEndpoint)];
  const app: App = new Hono<AppEnv>();
  app.use(observeRequest());
  for (const endpoint of endpoints) {
    app.on(endpoint.method.toUpperCase(), toHonoPath(endpoint.path), async (c) => {
      c.set("endpoint", endpoint);
      try {
        return await endpoint.run(c);
      } catch (thrown) {
        // Not only in onError, because Hono passes on thrown values that are not an Error.
        return problemResponse(c, thrown);
      }
    });
  }
  for (const { path, isCrossOrigin } of endpoints) {
    if (isCrossOrigin === true) {
      app.options(toHonoPath(path), () => preflight());
    }
  }
  app.notFound((c) => unmatched(endpoints, c));
  app.onError((error, c) => problemResponse(c, error));
  return app;
}

/**
 * Translates `/executions/{id}/zip` to `/executions/:id/zip`; `{path+}` also matches slashes. An action after a colon,
 * `{id}:abort` or `parts:sign`, is matched as part of its segment, which Hono treats as a parameter; `actionIdField`
 * removes it.
 */
function toHonoPath(path: string): string {
  return path
    .replaceAll(/\{(\w+)\}:(\w+)/g, ":$1{[-\\w]+:$2}")
    .replaceAll(/\/(\w+):(\w+)(?=\/|$)/g, "/:$1_$2{$1:$2}")
    .replaceAll(/\{(\w+)\+\}/g, ":$1{.+}")
    .replaceAll(/\{(\w+)\}/g, ":$1");
}

function toEndpoint(page: Page): Endpoint {
  return {
    method: "get",
    path: page.path,
    operationId: page.operationId,
    summary: "A page for browsers",
    tag: "Discovery",
    access: "public",
    isUndocumented: true,
    errors: [],
    request: {},
    responses: {},
    run: async (c) =>
      page.respond(c.var.ctx, {
        params: c.req.param(),
        query: new URL(c.req.url).searchParams,
        headers: c.req.raw.headers,
      }),
  };
}

const ADMIN_PREFIX = "/admin/";

/** Redirects a path that matches a route except for a trailing slash; returns a problem for any other. */
function unmatched(endpoints: readonly Endpoint[], c: Context<AppEnv>): Response {
  const { pathname, search } = new URL(c.req.url);
  const trimmed = pathname.slice(0, -1);
  const isHidden = isHiddenPath(trimmed, c.env.ADMIN_TOKEN);
  if (pathname.endsWith("/") && !isHidden && methodsAt(endpoints, trimmed).length > 0) {
    return new Response(null, {
      status: 308,
      headers: { location: trimmed + search, "cache-control": "no-store" },
    });
  }
  return problemResponse(c, noSuchRoute(endpoints, c.req.method, c.req.path, c.env.ADMIN_TOKEN));
}

/**
 * Returns 405 with Allow if the path is known, 404 otherwise; routes of the operator API are unknown while it is off
 * (docs/contract/access.md#operator-api).
 */
function noSuchRoute(
  endpoints: readonly Endpoint[],
  method: string,
  path: string,
  adminToken: string | undefined,
): AppError {
  const allowed = isHiddenPath(path, adminToken) ? [] : methodsAt(endpoints, path);
  if (allowed.length === 0) {
    return new AppError(
      "not_found",
      `There is no route ${method} ${path.slice(0, 200)}. /docs lists every route.`,
    );
  }
  return new AppError(
    "method_not_allowed",
    `${path.slice(0, 200)} does not accept ${method}. Allowed methods: ${allowed.join(", ")}.`,
    { headers: { allow: allowed.join(", ") } },
  );
}

function isHiddenPath(path: string, adminToken: string | undefined): boolean {
  return path.startsWith(ADMIN_PREFIX) && (adminToken ?? "") === "";
}

function methodsAt(endpoints: readonly Endpoint[], path: string): string[] {
  const methods = new Set<string>();
  for (const endpoint of endpoints) {
    if (toPattern(endpoint.path).test(path)) {
      methods.add(endpoint.method.toUpperCase());
      if (endpoint.method === "get") {
        methods.add("HEAD");
      }
      if (endpoint.isCrossOrigin === true) {
        methods.add("OPTIONS");
      }
    }
  }
  return [...methods].toSorted();
}

function toPattern(path: string): RegExp {
  const source = path
    .split(/(\{\w+\+?\})/)
    .map((part) => {
      if (!part.startsWith("{")) {
        return part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
      }
      return part.endsWith("+}") ? ".+" : "[^/]+";
    })
    .join("");
  return new RegExp(`^${source}$`);
}

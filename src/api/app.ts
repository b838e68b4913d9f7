/**
 * The HTTP application. How to add an endpoint:
 *
 * 1. One file per endpoint, `src/api/<resource>/<verb-noun>.ts`, exporting one `defineEndpoint({…})`
 *    named after the file. Who may call (`access`), the request's schemas, every answer and the
 *    error codes stand beside the handler; the router, the checks and the OpenAPI document are all
 *    made from that one object.
 * 2. The handler is `handle(ctx, { params, query, headers, body, exactBody }, c)`: parsed input in,
 *    one domain call, `{ status, body, headers? }` out (or `{ response }` for bytes and streams).
 *    Failures are thrown as AppError. `ctx.principal` is there on every route with a scope.
 *    `exactBody()` is the same body with every number's own digits; query integers and lists have
 *    helpers in `query-fields.ts`, ids in `id-field.ts`, the list envelope in `contracts/list.ts`.
 * 3. List it in `routes.ts`. A test fails for a file that is not listed.
 *
 *     export const getWorkflow = defineEndpoint({
 *       method: "get",
 *       path: "/api/v1/workflows/{id}",
 *       operationId: "getWorkflow",
 *       summary: "Read a workflow",
 *       tag: "Workflows",
 *       access: { scope: "workflows:read", permission: "ws:workflows:read" },
 *       request: { params: z.object({ id: idField("workflow") }) },
 *       responses: { 200: { description: "The workflow", body: WorkflowDetail } },
 *       errors: ["invalid_id", "not_found"],
 *       handle: async (ctx, { params }) => ({ status: 200, body: await readWorkflow(ctx, params.id) }),
 *     });
 */
import { type Context, Hono } from "hono";
import { AppError } from "../lib/errors.ts";
import type { Page } from "../platform/page.ts";
import type { AppEnv } from "./app-env.ts";
import type { Endpoint } from "./define-endpoint.ts";
import { servedOpenApi } from "./docs/get-openapi-document.ts";
import { preflight } from "./middleware/cross-origin.ts";
import { observeRequest } from "./middleware/observe-request.ts";
import { problemResponse } from "./problem-response.ts";

export type App = Hono<AppEnv>;

/** Builds the application once per isolate, from ENDPOINTS and PAGES, or a few of a test's own. */
export function createApp(apiEndpoints: readonly Endpoint[], pages: readonly Page[] = []): App {
  const endpoints = [...apiEndpoints, ...pages.map(toEndpoint)];
  const app: App = new Hono<AppEnv>();
  app.use(observeRequest(endpoints));
  for (const endpoint of endpoints) {
    app.on(endpoint.method.toUpperCase(), toHonoPath(endpoint.path), async (c) => {
      c.set("endpoint", endpoint);
      try {
        return await endpoint.run(c);
      } catch (thrown) {
        // Here and not in onError alone: Hono lets what is not an Error through.
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
 * `/executions/{id}/zip` → `/executions/:id/zip`; `{path+}` also takes slashes. An action after a
 * colon, `{id}:abort` or `parts:sign`, is matched as part of its segment, which is a parameter to
 * Hono: `actionIdField` takes it off.
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
        headers: c.req.raw.headers,
        openApi: async () => (await servedOpenApi(c.var.endpoints, c.var.ctx.baseUrl)).document,
      }),
  };
}

const ADMIN_PREFIX = "/admin/";

/** A path that is known but for a slash at its end is sent there; anything else is a problem. */
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

/** 405 with Allow where the path is known, 404 elsewhere; the operator API hides while it is off (docs/contract/access.md#operator-api). */
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

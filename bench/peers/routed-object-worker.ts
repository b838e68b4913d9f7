/**
 * A bare object behind the service's own router: the same application, request log and response headers, and an object
 * that reads, writes or counts in one row. It requires no token, which is to its advantage.
 */
import { DurableObject } from "cloudflare:workers";
import * as z from "zod";
import { createApp } from "../../src/api/app.ts";
import { defineEndpoint } from "../../src/api/define-endpoint.ts";

class RoutedObject extends DurableObject {
  readonly #sql = this.ctx.storage.sql;

  write(text: string): void {
    this.#sql.exec("CREATE TABLE IF NOT EXISTS run (id INTEGER PRIMARY KEY, body TEXT)");
    this.#sql.exec("INSERT OR REPLACE INTO run VALUES (1, ?)", text);
  }

  read(): string {
    return this.#sql.exec<{ body: string }>("SELECT body FROM run").one().body;
  }

  /** Adds one to the number in its row. */
  count(): number {
    this.#sql.exec("CREATE TABLE IF NOT EXISTS run (id INTEGER PRIMARY KEY, body TEXT)");
    const [row] = this.#sql.exec<{ body: string }>("SELECT body FROM run").toArray();
    const count = Number(row?.body ?? 0) + 1;
    this.#sql.exec("INSERT OR REPLACE INTO run VALUES (1, ?)", String(count));
    return count;
  }
}

/** Its interface for callers: every method returns a promise. */
interface RoutedApi {
  write(text: string): Promise<void>;
  read(): Promise<string>;
  count(): Promise<number>;
}

function objectOf(env: unknown, id: string): RoutedApi {
  const { ROUTED } = env as { ROUTED: DurableObjectNamespace };
  return ROUTED.get(ROUTED.idFromName(id)) as unknown as RoutedApi;
}

const params = z.object({ id: z.string() });

const readObject = defineEndpoint({
  method: "get",
  path: "/api/v1/objects/{id}",
  operationId: "readObject",
  summary: "Read a bare object",
  tag: "Executions",
  access: "public",
  request: { params },
  responses: { 200: { description: "Its row" } },
  errors: [],
  handle: async (ctx, { params: { id } }) => ({
    response: new Response(await objectOf(ctx.env, id).read(), {
      headers: { "content-type": "application/json; charset=utf-8" },
    }),
  }),
});

const writeObject = defineEndpoint({
  method: "put",
  path: "/api/v1/objects/{id}",
  operationId: "writeObject",
  summary: "Write a bare object",
  tag: "Executions",
  access: "public",
  request: { params },
  responses: { 204: { description: "Written" } },
  errors: [],
  handle: async (ctx, { params: { id } }, c) => {
    await objectOf(ctx.env, id).write(await c.req.raw.text());
    return { status: 204 };
  },
});

const countObject = defineEndpoint({
  method: "post",
  path: "/api/v1/objects/{id}/count",
  operationId: "countObject",
  summary: "Count in a bare object",
  tag: "Executions",
  access: "public",
  request: { params },
  responses: { 200: { description: "The count", body: z.object({ count: z.int() }) } },
  errors: [],
  handle: async (ctx, { params: { id } }) => ({
    status: 200,
    body: { count: await objectOf(ctx.env, id).count() },
  }),
});

const app = createApp([readObject, writeObject, countObject]);
let complete: object | undefined;

interface RoutedEnv {
  readonly ROUTED: DurableObjectNamespace;
  /** Names of the service's bindings. */
  readonly BINDINGS: readonly string[];
}

/** The application checks that its deployment is complete; unused bindings are empty. */
function completed(env: RoutedEnv): object {
  complete ??= {
    ...Object.fromEntries(["ASSETS", ...env.BINDINGS].map((name) => [name, {}])),
    ENVIRONMENT: "local",
    BASE_URL: "",
    BOOT_ID: "bench",
    JWT_SECRET: "a secret of the measurements, at least 32 bytes long",
    ROUTED: env.ROUTED,
  };
  return complete;
}

export { RoutedObject };
export default {
  fetch: (request: Request, env: RoutedEnv, ctx: ExecutionContext) =>
    app.fetch(request, completed(env), ctx),
};

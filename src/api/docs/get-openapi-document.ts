import { sha256Hex } from "../../lib/sha256.ts";
import { z } from "zod";
import { defineEndpoint } from "../define-endpoint.ts";
import { buildOpenApi } from "./build-openapi.ts";

interface Built {
  readonly baseUrl: string;
  readonly text: string;
  readonly etag: string;
}

/** The last one built: the endpoints are fixed in an isolate, and its base address nearly always is. */
let built: Built | undefined;

export const getOpenApiDocument = defineEndpoint({
  method: "get",
  path: "/swagger/public-v1/swagger.json",
  operationId: "getOpenApiDocument",
  summary: "This document",
  tag: "Discovery",
  access: "public",
  responses: {
    200: {
      description: "The OpenAPI 3.1 document of the service",
      body: z.looseObject({ openapi: z.string() }),
      headers: { ETag: "Changes with the document." },
    },
    304: { description: "Not modified since `If-None-Match`" },
  },
  errors: [],
  handle: async (ctx, _input, c) => {
    if (built?.baseUrl !== ctx.baseUrl) {
      const text = JSON.stringify(buildOpenApi(c.var.endpoints, ctx.baseUrl));
      built = { baseUrl: ctx.baseUrl, text, etag: `"${(await sha256Hex(text)).slice(0, 32)}"` };
    }
    const headers = { etag: built.etag, "cache-control": "public, max-age=300" };
    if (c.req.header("if-none-match") === built.etag) {
      return { status: 304, headers };
    }
    const type = { "content-type": "application/json; charset=utf-8" };
    return { response: new Response(built.text, { headers: { ...headers, ...type } }) };
  },
});

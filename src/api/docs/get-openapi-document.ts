import { isolateMemory } from "../../lib/memory/memory-budget.ts";
import { sha256Hex } from "../../lib/sha256.ts";
import * as z from "zod";
import { defineEndpoint } from "../define-endpoint.ts";
import type { Env } from "../../platform/env.ts";
import { BUILT_ORIGIN } from "../../platform/built-origin.ts";
import { readBuiltJson } from "../../platform/read-built-json.ts";

interface Served {
  readonly baseUrl: string;
  readonly text: string;
  readonly etag: string;
}

/** The document served last: the base address of a deployment rarely changes. */
let last: Served | undefined;

/** Of the text. */
const BYTES_A_CHAR = 2;
const kept = isolateMemory.keep(0, () => {
  last = undefined;
});

/** Returns the text of the built document for this base address, with its tag. */
async function servedOpenApi(env: Pick<Env, "ASSETS">, baseUrl: string): Promise<Served> {
  let served = last;
  if (served?.baseUrl !== baseUrl) {
    const built = await readBuiltJson<unknown>(env, "openapi.json");
    const address = JSON.stringify(baseUrl).slice(1, -1);
    const text = JSON.stringify(built).replaceAll(BUILT_ORIGIN, () => address);
    const etag = `"${(await sha256Hex(text)).slice(0, 32)}"`;
    served = { baseUrl, text, etag };
    last = served;
  }
  kept.resize(served.text.length * BYTES_A_CHAR);
  return served;
}

export const getOpenApiDocument = defineEndpoint({
  method: "get",
  path: "/swagger/public-v1/swagger.json",
  operationId: "getOpenApiDocument",
  summary: "This document",
  description:
    "The OpenAPI 3.1 document, generated from the schemas that parse requests. It needs no token; send `If-None-Match`.",
  tag: "Discovery",
  access: "public",
  responses: {
    200: {
      description: "The OpenAPI 3.1 document of the service",
      body: z.looseObject({
        openapi: z.string().describe("Version of the OpenAPI specification."),
      }),
      headers: { ETag: "Changes with the document." },
    },
    304: { description: "Not modified since `If-None-Match`" },
  },
  errors: [],
  handle: async (ctx, _input, c) => {
    const { text, etag } = await servedOpenApi(ctx.env, ctx.baseUrl);
    const headers = { etag, "cache-control": "public, max-age=300" };
    if (c.req.header("if-none-match") === etag) {
      return { status: 304, headers };
    }
    const type = { "content-type": "application/json; charset=utf-8" };
    return { response: new Response(text, { headers: { ...headers, ...type } }) };
  },
});

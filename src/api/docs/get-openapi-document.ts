import { isolateMemory } from "../../lib/memory/memory-budget.ts";
import { sha256Hex } from "../../lib/sha256.ts";
import * as z from "zod";
import type { OpenApiDocument } from "../../contracts/openapi-document.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import type { EndpointDeclaration } from "../endpoint-declaration.ts";
import type { Env } from "../../platform/env.ts";
import { readBuiltJson } from "../../platform/read-built-json.ts";
import { buildOpenApi, type RecordedExamples } from "./build-openapi.ts";

interface Built {
  readonly endpoints: readonly EndpointDeclaration[];
  readonly baseUrl: string;
  readonly document: OpenApiDocument;
  readonly text: string;
  readonly etag: string;
}

/** The document built last: an isolate's endpoints are fixed, and its base address rarely changes. */
let built: Built | undefined;

/** Of the document as an object and as text, for a character of the text. */
const BYTES_A_CHAR = 6;
const kept = isolateMemory.keep(0, () => {
  built = undefined;
});

/** Returns the document of these endpoints with its text and tag. */
export async function servedOpenApi(
  env: Pick<Env, "ASSETS">,
  endpoints: readonly EndpointDeclaration[],
  baseUrl: string,
): Promise<Built> {
  let served = built;
  if (served?.baseUrl !== baseUrl || served.endpoints !== endpoints) {
    const examples = await readBuiltJson<RecordedExamples>(env, "recorded-examples.json");
    // `OpenApiDocument` types the members that the pages read; a test validates the whole document.
    const document = buildOpenApi(endpoints, baseUrl, examples) as unknown as OpenApiDocument;
    const text = JSON.stringify(document);
    const etag = `"${(await sha256Hex(text)).slice(0, 32)}"`;
    served = { endpoints, baseUrl, document, text, etag };
    built = served;
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
    const { text, etag } = await servedOpenApi(ctx.env, c.var.endpoints, ctx.baseUrl);
    const headers = { etag, "cache-control": "public, max-age=300" };
    if (c.req.header("if-none-match") === etag) {
      return { status: 304, headers };
    }
    const type = { "content-type": "application/json; charset=utf-8" };
    return { response: new Response(text, { headers: { ...headers, ...type } }) };
  },
});

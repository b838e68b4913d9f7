import * as z from "zod";
import { getJsonSchema as get } from "../../domain/catalog/get-json-schema.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { CATALOG_HEADERS, catalogReply } from "./catalog-reply.ts";

export const getJsonSchema = defineEndpoint({
  method: "get",
  path: "/api/v1/json-schemas/{schema_ref+}",
  operationId: "getJsonSchema",
  summary: "Read the JSON Schema of a structured contract",
  description:
    "The schema of a document that names its contract in its `schema` field, such as `svc.quality-check/v1`. It works with any JSON Schema 2020-12 validator.",
  tag: "Catalog",
  access: { scope: null, permission: null },
  request: {
    params: z.object({
      schema_ref: z.string().describe("Including its slash: `svc.quality-check/v1`."),
    }),
  },
  responses: {
    200: {
      description: "The JSON Schema",
      body: z.record(z.string(), z.unknown()),
      headers: CATALOG_HEADERS,
    },
    304: { description: "Not modified since `If-None-Match`" },
  },
  errors: ["not_found"],
  handle: (_ctx, { params }, c) => catalogReply(c.req.raw, get(params.schema_ref)),
});

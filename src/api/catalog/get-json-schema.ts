import * as z from "zod";
import { AppError } from "../../lib/errors/errors.ts";
import { readBuiltJson } from "../../platform/read-built-json.ts";
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
  handle: async ({ env }, { params: { schema_ref: ref } }, c) => {
    const schemas = await readBuiltJson<Record<string, unknown>>(env, "json-schemas.json");
    if (!Object.hasOwn(schemas, ref)) {
      throw new AppError(
        "not_found",
        `There is no contract "${ref.slice(0, 200)}". Available: ${Object.keys(schemas).join(", ")}.`,
      );
    }
    return catalogReply(c.req.raw, schemas[ref]);
  },
});

import * as z from "zod";
import { SavedDefinition } from "../../contracts/workflows/definition.ts";
import { definitionEtag, isMatch } from "../../domain/workflows/definition/definition-etag.ts";
import { readDefinitionText } from "../../domain/workflows/definition/read-definition-text.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { idField } from "../id-field.ts";

export const getDefinition = defineEndpoint({
  method: "get",
  path: "/api/v1/workflows/{id}/definition",
  operationId: "getWorkflowDefinition",
  summary: "Read the working definition",
  description:
    "Returned as it was saved, with every number's digits. Send the ETag as `If-Match` of a PUT.",
  tag: "Workflows",
  access: { scope: "workflows:read", permission: "ws:workflows:read" },
  request: {
    params: z.object({ id: idField("workflow") }),
    headers: z.object({ "if-none-match": z.string().optional() }),
  },
  responses: {
    200: {
      description: "The working definition",
      body: SavedDefinition,
      headers: { ETag: "Identifies this revision of the working definition." },
    },
    304: { description: "Not changed since the revision in `If-None-Match`" },
  },
  errors: ["invalid_id", "forbidden", "not_found"],
  handle: async (ctx, { params, headers }) => {
    const { row, text } = await readDefinitionText(ctx, params.id);
    const etag = definitionEtag(row.revision);
    const known = headers["if-none-match"];
    if (known !== undefined && isMatch(known, row.revision)) {
      return { status: 304, headers: { etag } };
    }
    // Returns the stored text itself; parsing and rewriting it could only lose information.
    return {
      response: new Response(text, {
        headers: { "content-type": "application/json; charset=utf-8", etag },
      }),
    };
  },
});

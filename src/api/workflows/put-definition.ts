import * as z from "zod";
import { SavedDefinition } from "../../contracts/workflows/definition.ts";
import { definitionEtag } from "../../domain/workflows/definition/definition-etag.ts";
import { replaceDefinition } from "../../domain/workflows/definition/replace-definition.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { idField } from "../id-field.ts";

export const putDefinition = defineEndpoint({
  method: "put",
  path: "/api/v1/workflows/{id}/definition",
  operationId: "putWorkflowDefinition",
  summary: "Replace the working definition",
  description:
    "The body is the definition itself, which may be invalid. Neither the status nor a published version changes. Returns the stored definition: interfaces without an id have been given one.",
  tag: "Workflows",
  access: { scope: "workflows:write", permission: "ws:workflows:manage" },
  request: {
    params: z.object({ id: idField("workflow") }),
    headers: z.object({
      "if-match": z.string().optional().describe("The ETag that was read; required."),
    }),
    body: z.looseObject({}),
  },
  responses: {
    200: {
      description: "The working definition as stored",
      body: SavedDefinition,
      headers: { ETag: "Identifies the new revision." },
    },
  },
  errors: [
    "invalid_id",
    "forbidden",
    "not_found",
    "precondition_required",
    "precondition_failed",
    "invalid_state",
    "payload_too_large",
  ],
  handle: async (ctx, { params, headers, exactBody }) => {
    const { text, revision } = await replaceDefinition(
      ctx,
      params.id,
      headers["if-match"],
      exactBody(),
    );
    return {
      response: new Response(text, {
        headers: {
          "content-type": "application/json; charset=utf-8",
          etag: definitionEtag(revision),
        },
      }),
    };
  },
});

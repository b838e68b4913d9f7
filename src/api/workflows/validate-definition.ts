import * as z from "zod";
import { ValidationReport } from "../../contracts/workflows/workflow.ts";
import { validateDefinition as validate } from "../../domain/workflows/definition/validate-definition.ts";
import { resolverOf } from "../../domain/references/resolve-references.ts";
import { isJsonObject } from "../../lib/json/exact-json.ts";
import { defineEndpoint } from "../define-endpoint.ts";

export const validateDefinition = defineEndpoint({
  method: "post",
  path: "/api/v1/workflows/validate",
  operationId: "validateDefinition",
  summary: "Check a definition",
  description: "Returns every problem. Nothing is stored.",
  tag: "Workflows",
  access: { scope: "workflows:read", permission: "ws:workflows:read" },
  example: {
    definition: {
      nodes: [
        { id: "name", type: "input/text", label: "Name", parameters: { required: true } },
        { id: "message", type: "output/text", label: "Message" },
      ],
      connections: [
        { from: { node: "name", port: "text" }, to: { node: "message", port: "text" } },
      ],
    },
  },
  isReadOnly: true,
  request: { body: z.strictObject({ definition: z.looseObject({}) }) },
  responses: { 200: { description: "The result of the check", body: ValidationReport } },
  errors: [],
  handle: async (ctx, { exactBody }) => {
    const body = exactBody();
    return {
      status: 200,
      body: await validate(
        isJsonObject(body) ? (body["definition"] ?? null) : null,
        resolverOf(ctx),
      ),
    };
  },
});

import * as z from "zod";
import { ValidationReport } from "../../contracts/workflows/workflow.ts";
import { validateWorkflow as validate } from "../../domain/workflows/definition/validate-definition.ts";
import { isJsonObject } from "../../lib/json/exact-json.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { idField } from "../id-field.ts";

export const validateWorkflow = defineEndpoint({
  method: "post",
  path: "/api/v1/workflows/{id}/validate",
  operationId: "validateWorkflow",
  summary: "Check a definition for a workflow",
  description:
    "Returns every problem of `definition`, or of the working definition if it is omitted. Nothing is stored.",
  tag: "Workflows",
  access: { scope: "workflows:read", permission: "ws:workflows:read" },
  isReadOnly: true,
  request: {
    params: z.object({ id: idField("workflow") }),
    body: z.strictObject({ definition: z.looseObject({}).optional() }),
    isBodyOptional: true,
  },
  responses: { 200: { description: "The result of the check", body: ValidationReport } },
  errors: ["invalid_id", "forbidden", "not_found"],
  handle: async (ctx, { params, exactBody }) => {
    const body = exactBody();
    const definition = isJsonObject(body) ? body["definition"] : undefined;
    return { status: 200, body: await validate(ctx, params.id, definition) };
  },
});

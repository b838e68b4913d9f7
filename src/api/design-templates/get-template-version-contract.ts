import * as z from "zod";
import { TemplateContract } from "../../contracts/templates/design-template.ts";
import { readVersionContract } from "../../domain/templates/read-content.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { immutableJson } from "./immutable-json.ts";
import {
  READ_TEMPLATES,
  revisionField,
  TEMPLATE_ERRORS,
  TEMPLATE_TAG,
  templateParams,
} from "./template-route.ts";

export const getTemplateVersionContract = defineEndpoint({
  method: "get",
  path: "/api/v1/design-templates/{id}/versions/{revision}/contract",
  operationId: "getDesignTemplateVersionContract",
  summary: "Read the contract of a revision",
  description: "The pages and the fields that values are sent for. It never changes.",
  tag: TEMPLATE_TAG,
  access: READ_TEMPLATES,
  request: {
    params: templateParams.extend({ revision: revisionField }),
    headers: z.object({ "if-none-match": z.string().optional() }),
  },
  responses: {
    200: {
      description: "The contract",
      body: TemplateContract,
      headers: { ETag: "Digest of the contract." },
    },
    304: { description: "The client has it" },
  },
  errors: [...TEMPLATE_ERRORS, "invalid_revision"],
  handle: async (ctx, { params, headers }) =>
    immutableJson(
      await readVersionContract(ctx, params.id, params.revision),
      headers["if-none-match"],
    ),
});

import * as z from "zod";
import { ModelParametersSchema } from "../../contracts/models/model.ts";
import { getModelParameters as get } from "../../domain/models/get-model-parameters.ts";
import { workspaceModels } from "../../domain/models/workspace-models.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { CATALOG_HEADERS, catalogReply } from "./catalog-reply.ts";

export const getModelParameters = defineEndpoint({
  method: "get",
  path: "/api/v1/models/{model}/params-schema",
  operationId: "getModelParameters",
  summary: "Read the parameters of a model",
  description:
    "The model's own parameters, which are the values of a node's `model_parameters`, their defaults, and the parameters of nodes that the model ignores.",
  tag: "Catalog",
  access: { scope: null, permission: null },
  request: { params: z.object({ model: z.string().describe("Slug of the model.") }) },
  responses: {
    200: {
      description: "The parameters",
      body: ModelParametersSchema,
      headers: CATALOG_HEADERS,
      example: {
        model: "sample-image",
        schema: [
          {
            name: "accent",
            label: "Accent color",
            advanced: false,
            type: "enum",
            allowed_values: ["auto", "blue", "green", "red", "violet"],
            default: "auto",
          },
        ],
        defaults: { accent: "auto" },
        hides_node_parameters: [],
      },
    },
    304: { description: "Not modified since `If-None-Match`" },
  },
  errors: ["not_found"],
  handle: async (ctx, { params }, c) =>
    catalogReply(c.req.raw, get(await workspaceModels(ctx), params.model)),
});

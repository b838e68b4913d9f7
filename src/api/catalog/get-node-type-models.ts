import * as z from "zod";
import { NodeTypeModels } from "../../contracts/models/model.ts";
import { requireNodeType } from "../../domain/catalog/get-node-type.ts";
import { getNodeTypeModels as get } from "../../domain/models/get-node-type-models.ts";
import { workspaceModels } from "../../domain/models/workspace-models.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { CATALOG_HEADERS, catalogReply } from "./catalog-reply.ts";

export const getNodeTypeModels = defineEndpoint({
  method: "get",
  path: "/api/v1/node-types/{category}/{name}/models",
  operationId: "getNodeTypeModels",
  summary: "List the models that a node type can use",
  description:
    "One entry for each capability that the node type can use, with its models and the workspace's default model. Empty for a node type that calls no model.",
  tag: "Catalog",
  access: { scope: null, permission: null },
  request: { params: z.object({ category: z.string(), name: z.string() }) },
  responses: {
    200: {
      description: "The models by capability",
      body: NodeTypeModels,
      headers: CATALOG_HEADERS,
    },
    304: { description: "Not modified since `If-None-Match`" },
  },
  errors: ["not_found"],
  handle: async (ctx, { params: { category, name } }, c) =>
    catalogReply(
      c.req.raw,
      get(requireNodeType(`${category}/${name}`), await workspaceModels(ctx)),
    ),
});

import * as z from "zod";
import { NodeTypeDetail } from "../../contracts/workflows/node-type-entry.ts";
import { readNodeTypes } from "../../domain/catalog/built-node-types.ts";
import { getNodeType as get } from "../../domain/catalog/get-node-type.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { CATALOG_HEADERS, catalogReply } from "./catalog-reply.ts";

export const getNodeType = defineEndpoint({
  method: "get",
  path: "/api/v1/node-types/{category}/{name}",
  operationId: "getNodeType",
  summary: "Read a node type",
  description:
    "The whole catalog entry: ports, parameters with their rules and defaults, cost, limits, and when to use the node. It changes with a release only; send `If-None-Match`.",
  tag: "Catalog",
  access: { scope: null, permission: null },
  request: { params: z.object({ category: z.string(), name: z.string() }) },
  responses: {
    200: { description: "The node type", body: NodeTypeDetail, headers: CATALOG_HEADERS },
    304: { description: "Not modified since `If-None-Match`" },
  },
  errors: ["not_found"],
  handle: async (ctx, { params: { category, name } }, c) =>
    catalogReply(c.req.raw, get(await readNodeTypes(ctx.env), `${category}/${name}`)),
});

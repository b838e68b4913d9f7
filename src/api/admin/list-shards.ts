import * as z from "zod";
import { Shard } from "../../contracts/workspaces/shard.ts";
import { listShards as list } from "../../domain/admin/shards.ts";
import { defineEndpoint } from "../define-endpoint.ts";

export const listShards = defineEndpoint({
  method: "get",
  path: "/admin/v1/shards",
  operationId: "listShards",
  summary: "List the shards",
  description: "All databases of the deployment, by number. Each organization is at home on one.",
  tag: "Operator",
  access: "operator",
  request: {},
  responses: {
    200: {
      description: "All shards",
      body: z.object({ data: z.array(Shard).describe("By number.") }).meta({ id: "ShardList" }),
    },
  },
  errors: [],
  handle: async (ctx) => ({ status: 200, body: { data: await list(ctx) } }),
});

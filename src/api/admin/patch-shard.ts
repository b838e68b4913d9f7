import * as z from "zod";
import { Shard } from "../../contracts/workspaces/shard.ts";
import { patchShard as patch } from "../../domain/admin/shards.ts";
import { defineEndpoint } from "../define-endpoint.ts";

export const patchShard = defineEndpoint({
  method: "patch",
  path: "/admin/v1/shards/{shard}",
  operationId: "patchShard",
  summary: "Open or close a shard",
  description: "A closed shard gets no new organizations. Its organizations stay there.",
  tag: "Operator",
  access: "operator",
  request: {
    params: z.object({
      shard: z
        .string()
        .regex(/^(?:0|[1-9]\d?)$/, "Must be a number from 0 to 63")
        .describe("Number of the shard."),
    }),
    body: z.strictObject({ is_open: z.boolean() }),
  },
  responses: { 200: { description: "The shard", body: Shard } },
  errors: ["validation_error"],
  handle: async (ctx, { params, body }) => ({
    status: 200,
    body: await patch(ctx, Number(params.shard), body.is_open),
  }),
});

import * as z from "zod";
import { CacheStatistics } from "../../contracts/runs/cache-statistics.ts";
import { readCache } from "../../domain/cache/read-cache.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { ETAG, IF_NONE_MATCH, NOT_MODIFIED, taggedReply } from "../tagged-reply.ts";

export const getCache = defineEndpoint({
  method: "get",
  path: "/api/v1/cache",
  operationId: "getCache",
  summary: "Read the figures of the result cache",
  description: "Results that runs with `cache` keep for other runs of the workspace.",
  tag: "Executions",
  access: { scope: "executions:read", permission: "ws:executions:read" },
  request: { headers: z.object(IF_NONE_MATCH) },
  responses: {
    200: { description: "Figures", body: CacheStatistics, headers: ETAG },
    304: NOT_MODIFIED,
  },
  errors: [],
  handle: async (ctx, { headers }) =>
    await taggedReply(await readCache(ctx), headers["if-none-match"]),
});

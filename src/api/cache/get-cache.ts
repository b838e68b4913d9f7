import { CacheStatistics } from "../../contracts/runs/cache-statistics.ts";
import { readCache } from "../../domain/cache/read-cache.ts";
import { defineEndpoint } from "../define-endpoint.ts";

export const getCache = defineEndpoint({
  method: "get",
  path: "/api/v1/cache",
  operationId: "getCache",
  summary: "Read the figures of the result cache",
  description: "Results that runs with `cache` keep for other runs of the workspace.",
  tag: "Executions",
  access: { scope: "executions:read", permission: "ws:executions:read" },
  responses: { 200: { description: "Figures", body: CacheStatistics } },
  errors: [],
  handle: async (ctx) => ({ status: 200, body: await readCache(ctx) }),
});

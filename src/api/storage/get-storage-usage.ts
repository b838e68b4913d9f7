import { StorageUsage } from "../../contracts/storage.ts";
import { describeUsage } from "../../domain/storage/describe-storage.ts";
import { defineEndpoint } from "../define-endpoint.ts";

export const getStorageUsage = defineEndpoint({
  method: "get",
  path: "/api/v1/storage/usage",
  operationId: "getStorageUsage",
  summary: "Read what is stored",
  description: "By category. Files of runs as they were at most a minute ago.",
  tag: "Storage",
  access: { scope: "assets:read", permission: "ws:assets:read" },
  responses: { 200: { description: "Usage", body: StorageUsage } },
  errors: [],
  handle: async (ctx) => ({ status: 200, body: await describeUsage(ctx) }),
});

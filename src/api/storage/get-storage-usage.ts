import { StorageUsage } from "../../contracts/files/storage.ts";
import { describeUsage } from "../../domain/storage/describe-storage.ts";
import { defineEndpoint } from "../define-endpoint.ts";

export const getStorageUsage = defineEndpoint({
  method: "get",
  path: "/api/v1/storage/usage",
  operationId: "getStorageUsage",
  summary: "Read the storage usage",
  description: "By category. Figures for files of runs are at most one minute old.",
  tag: "Storage",
  access: { scope: "assets:read", permission: "ws:assets:read" },
  responses: { 200: { description: "Usage", body: StorageUsage } },
  errors: [],
  handle: async (ctx) => ({ status: 200, body: await describeUsage(ctx) }),
});

import { StorageQuota } from "../../contracts/files/storage.ts";
import { describeQuota } from "../../domain/storage/describe-storage.ts";
import { defineEndpoint } from "../define-endpoint.ts";

export const getStorageQuota = defineEndpoint({
  method: "get",
  path: "/api/v1/storage/quota",
  operationId: "getStorageQuota",
  summary: "Read the storage quota",
  description:
    "Includes a warning from 80 % on. When the quota is used up, uploads, imports and new sessions are rejected with `quota_exceeded`.",
  tag: "Storage",
  access: { scope: "assets:read", permission: "ws:assets:read" },
  responses: { 200: { description: "Quota", body: StorageQuota } },
  errors: [],
  handle: async (ctx) => ({ status: 200, body: await describeQuota(ctx) }),
});

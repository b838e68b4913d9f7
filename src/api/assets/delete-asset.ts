import { deleteAsset as remove } from "../../domain/assets/delete-asset.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { PATH_QUERY_CODES, pathQuery } from "./path-query.ts";

export const deleteAsset = defineEndpoint({
  method: "delete",
  path: "/api/v1/assets",
  operationId: "deleteAsset",
  summary: "Delete a file",
  description:
    "The asset's address returns 404 immediately. Outputs of past runs keep their own copy. Later submits with this path are rejected.",
  tag: "Assets",
  access: { scope: "assets:write", permission: "ws:assets:manage" },
  request: { query: pathQuery, codes: PATH_QUERY_CODES },
  responses: { 204: { description: "Deleted" } },
  errors: ["invalid_request", "forbidden", "not_found"],
  handle: async (ctx, { query }) => {
    await remove(ctx, query.path);
    return { status: 204 };
  },
});

import { AssetDownload } from "../../contracts/files/asset.ts";
import { assetDownloadUrl } from "../../domain/assets/asset-download-url.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { PATH_QUERY_CODES, pathQuery } from "./path-query.ts";

export const getAssetDownloadUrl = defineEndpoint({
  method: "get",
  path: "/api/v1/assets/download-url",
  operationId: "getAssetDownloadUrl",
  summary: "Get a file's address",
  description:
    "Returns an address that needs no token and cannot be guessed. If the deployment signs addresses, it expires after one hour.",
  tag: "Assets",
  access: { scope: "assets:read", permission: "ws:assets:read" },
  request: { query: pathQuery, codes: PATH_QUERY_CODES },
  responses: { 200: { description: "The address", body: AssetDownload } },
  errors: ["invalid_request", "forbidden", "not_found"],
  handle: async (ctx, { query }) => ({
    status: 200,
    body: await assetDownloadUrl(ctx, query.path),
  }),
});

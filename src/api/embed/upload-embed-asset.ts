import * as z from "zod";
import { admitUpload } from "../../domain/embeds/embed-uploads.ts";
import { storeUpload, UPLOAD_ASSET } from "../assets/upload-asset.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { interfaceQuery } from "./interface-query.ts";

export const uploadEmbedAsset = defineEndpoint({
  ...UPLOAD_ASSET,
  method: "post",
  path: "/api/embed/assets",
  operationId: "uploadEmbedAsset",
  tag: "Embeds",
  exampleOf: "uploadAsset",
  access: "embed:ws:assets:manage",
  request: { query: z.object(interfaceQuery) },
  errors: [...UPLOAD_ASSET.errors, "workflow_not_published", "validation_error", "rate_limited"],
  handle: async (ctx, { creation, query }, c) =>
    storeUpload(ctx, creation, c.req.raw, await admitUpload(ctx, query.interface ?? null)),
});

import { z } from "zod";
import { Asset } from "../../contracts/asset.ts";
import { uploadAsset as upload } from "../../domain/assets/upload-asset.ts";
import { AppError } from "../../lib/errors.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { takeBody } from "../take-body.ts";

export const uploadAsset = defineEndpoint({
  method: "post",
  path: "/api/v1/assets",
  operationId: "uploadAsset",
  summary: "Upload a file",
  description:
    "A form with one file in the field `file`, at most 250 MB. The extension decides the type and the bytes are inspected. SVG files are cleaned. Large files are better sent through an upload session.",
  tag: "Assets",
  access: { scope: "assets:write", permission: "ws:assets:manage" },
  rawBody: {
    contentType: "multipart/form-data",
    schema: z.object({ file: z.string().meta({ format: "binary" }) }),
  },
  responses: { 201: { description: "The stored file", body: Asset } },
  errors: [
    "invalid_request",
    "invalid_file",
    "invalid_file_type",
    "invalid_content",
    "quota_exceeded",
    "file_too_large",
    "unsupported_media_type",
  ],
  handle: async (ctx, _input, c) => {
    const { body, headers } = c.req.raw;
    if (body === null) {
      throw new AppError(
        "invalid_file",
        'The request has no body. Send the file in the field "file".',
      );
    }
    const length = headers.get("content-length");
    const stored = await takeBody(
      ctx,
      c.req.raw,
      async (read) =>
        await upload(ctx, {
          contentType: headers.get("content-type"),
          contentLength: length === null ? null : Number(length),
          read,
        }),
    );
    return { status: 201, body: stored };
  },
});

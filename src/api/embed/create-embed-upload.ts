import * as z from "zod";
import { admitUpload } from "../../domain/embeds/embed-uploads.ts";
import { createUpload } from "../../domain/uploads/create-upload.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { replayHeaders } from "../replay-headers.ts";
import { CREATE_UPLOAD } from "../uploads/create-upload.ts";
import { interfaceQuery } from "./interface-query.ts";

export const createEmbedUpload = defineEndpoint({
  ...CREATE_UPLOAD,
  method: "post",
  path: "/api/embed/uploads",
  operationId: "createEmbedUpload",
  tag: "Embeds",
  exampleOf: "createUpload",
  access: "embed:ws:assets:manage",
  request: { ...CREATE_UPLOAD.request, query: z.object(interfaceQuery), inOrder: true },
  errors: [...CREATE_UPLOAD.errors, "not_found", "workflow_not_published", "validation_error"],
  handle: async (ctx, { body, headers, query }) => {
    const { session, isReplay } = await createUpload(ctx, {
      fileName: body.file_name,
      sizeBytes: body.size_bytes,
      mode: body.upload_mode,
      idempotencyKey: headers["idempotency-key"],
      checkName: await admitUpload(ctx, query.interface ?? null),
    });
    return { status: 200, body: session, headers: replayHeaders(isReplay) };
  },
});

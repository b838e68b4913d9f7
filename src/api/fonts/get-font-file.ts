import * as z from "zod";
import { defineEndpoint } from "../define-endpoint.ts";
import { guidField } from "../guid-field.ts";
import { FONT_FILE_RESPONSES, fontFileResponse } from "./font-file-response.ts";

export const getFontFile = defineEndpoint({
  method: "get",
  path: "/api/v1/fonts/{familyGuid}/versions/{versionGuid}/files/{fileGuid}",
  operationId: "getFontFile",
  summary: "Download a font file",
  description:
    "One exact file, also of an archived family. Its `ETag` is the SHA-256 of its bytes. Accepts `Range`, `If-Range`, `If-Match`, `If-None-Match` and HEAD.",
  tag: "Fonts",
  access: { scope: "assets:read", permission: "ws:assets:read" },
  request: {
    params: z.object({
      familyGuid: guidField("a font family"),
      versionGuid: guidField("a revision"),
      fileGuid: guidField("a file"),
    }),
  },
  responses: FONT_FILE_RESPONSES,
  errors: ["invalid_id", "not_found", "forbidden", "precondition_failed", "range_not_satisfiable"],
  handle: async (ctx, { params: { familyGuid, versionGuid, fileGuid } }, c) =>
    fontFileResponse(ctx, c, { familyGuid, versionGuid, which: { fileId: fileGuid } }),
});

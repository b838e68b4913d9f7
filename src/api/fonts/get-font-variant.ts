import * as z from "zod";
import { defineEndpoint } from "../define-endpoint.ts";
import { guidField } from "../guid-field.ts";
import { FONT_FILE_RESPONSES, fontFileResponse } from "./font-file-response.ts";

export const getFontVariant = defineEndpoint({
  method: "get",
  path: "/api/v1/fonts/{familyGuid}/versions/{versionGuid}/variants/{variant}",
  operationId: "getFontVariant",
  summary: "Download the font file of a variant",
  description:
    "The file of a revision for a weight and style, also of an archived family. Accepts `Range`, `If-Range`, `If-Match`, `If-None-Match` and HEAD.",
  tag: "Fonts",
  access: { scope: "assets:read", permission: "ws:assets:read" },
  request: {
    params: z.object({
      familyGuid: guidField("a font family"),
      versionGuid: guidField("a revision"),
      variant: z.string().describe("As in `files[].variant`: `400`, `700-italic`."),
    }),
  },
  responses: FONT_FILE_RESPONSES,
  errors: ["invalid_id", "not_found", "forbidden", "precondition_failed", "range_not_satisfiable"],
  handle: async (ctx, { params: { familyGuid, versionGuid, variant } }, c) =>
    fontFileResponse(ctx, c, { familyGuid, versionGuid, which: { variant } }),
});

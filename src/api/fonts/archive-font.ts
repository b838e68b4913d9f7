import * as z from "zod";
import { FontFamily } from "../../contracts/files/font.ts";
import { archiveFontFamily } from "../../domain/fonts/archive-font-family.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { guidField } from "../guid-field.ts";

export const archiveFont = defineEndpoint({
  method: "post",
  path: "/api/v1/fonts/{familyGuid}/archive",
  operationId: "archiveFont",
  summary: "Archive a font family",
  description:
    "Removes the family from lists and rejects new revisions. Its revisions and files stay readable for resources that refer to them, and its name stays reserved. Archiving it again changes nothing.",
  tag: "Fonts",
  access: { scope: "assets:write", permission: "ws:assets:manage" },
  request: { params: z.object({ familyGuid: guidField("a font family") }) },
  responses: { 200: { description: "The archived family", body: FontFamily } },
  errors: ["invalid_id", "not_found", "forbidden"],
  handle: async (ctx, { params }) => ({
    status: 200,
    body: await archiveFontFamily(ctx, params.familyGuid),
  }),
});

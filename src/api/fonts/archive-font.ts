import { z } from "zod";
import { FontFamily } from "../../contracts/font.ts";
import { archiveFontFamily } from "../../domain/fonts/archive-font-family.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { guidField } from "../guid-field.ts";

export const archiveFont = defineEndpoint({
  method: "post",
  path: "/api/v1/fonts/{familyGuid}/archive",
  operationId: "archiveFont",
  summary: "Archive a font family",
  description:
    "Takes the family out of lists and closes it to revisions. Its revisions and their files stay readable for what refers to them, and its name stays taken. Archiving again changes nothing.",
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

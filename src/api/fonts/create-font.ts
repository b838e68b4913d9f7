import { FontRevision } from "../../contracts/files/font.ts";
import { createFontFamily } from "../../domain/fonts/create-font-family.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { FONT_FORM, FONT_FORM_ERRORS, withFontForm } from "./font-form.ts";

export const createFont = defineEndpoint({
  method: "post",
  path: "/api/v1/fonts",
  operationId: "createFont",
  summary: "Upload a font family",
  description:
    "A form with one TTF or OTF file for each variant in the field `files`, at most 20 MB each, 60 MB and 50 files together. Weight, style and family are read from the fonts. Every file is checked glyph by glyph before any is kept; WOFF, WOFF2, variable fonts and collections are refused.",
  tag: "Fonts",
  access: { scope: "assets:write", permission: "ws:assets:manage" },
  createsOnce: true,
  rawBody: FONT_FORM,
  responses: { 201: { description: "The family's first revision", body: FontRevision } },
  errors: FONT_FORM_ERRORS,
  handle: async (ctx, { creation }, c) =>
    withFontForm(ctx, c, creation, async (form, claim) => ({
      status: 201,
      revision: await createFontFamily(ctx, form, claim),
    })),
});

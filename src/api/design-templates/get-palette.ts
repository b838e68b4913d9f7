import { SvgPaletteView } from "../../contracts/templates/design-template.ts";
import { readPalette } from "../../domain/templates/svg-palette.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { elementParams } from "./edit-route.ts";
import { DRAFT_ETAG, READ_TEMPLATES, TEMPLATE_ERRORS, TEMPLATE_TAG } from "./template-route.ts";

export const getPalette = defineEndpoint({
  method: "get",
  path: "/api/v1/design-templates/{id}/draft/elements/{element_id}/palette",
  operationId: "getDesignPalette",
  summary: "Read the palette of a drawing in the draft",
  description:
    "The colors of an `svg_artwork` as it prints: after style sheets, inheritance, `use`, color names and `currentColor`.",
  tag: TEMPLATE_TAG,
  access: READ_TEMPLATES,
  request: { params: elementParams },
  responses: { 200: { description: "The palette", body: SvgPaletteView, headers: DRAFT_ETAG } },
  errors: [...TEMPLATE_ERRORS, "invalid_argument"],
  handle: async (ctx, { params }) => {
    const palette = await readPalette(ctx, params.id, params.element_id);
    return { status: 200, body: palette, headers: { etag: `"${palette.draft_etag}"` } };
  },
});

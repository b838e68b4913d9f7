import {
  PaletteReplacementBody,
  SvgPaletteView,
} from "../../contracts/templates/design-template.ts";
import { replaceColors } from "../../domain/templates/svg-palette.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { elementParams } from "./edit-route.ts";
import { DRAFT_ETAG, DRAFT_WRITE, draftReply, draftWrite } from "./template-route.ts";

const { tag, access, createsOnce, inOrder, headers, errors } = DRAFT_WRITE;
const CODES = Object.fromEntries(
  ["", "source_color", "target_color", "reset_all"].map((name) => [
    `body.${name}`,
    "invalid_argument" as const,
  ]),
);

export const replacePaletteColor = defineEndpoint({
  method: "post",
  path: "/api/v1/design-templates/{id}/draft/elements/{element_id}/palette-replacements",
  operationId: "replaceDesignPaletteColor",
  summary: "Replace a color of a drawing in the draft",
  description:
    "Every use of `source_color` prints in `target_color`; null prints the drawing's own again. `reset_all` resets all colors. The drawing itself does not change.",
  tag,
  access,
  createsOnce,
  request: {
    params: elementParams,
    headers,
    body: PaletteReplacementBody,
    codes: CODES,
    inOrder,
  },
  responses: { 200: { description: "The palette", body: SvgPaletteView, headers: DRAFT_ETAG } },
  errors: [...errors, "invalid_request", "invalid_argument"],
  handle: async (ctx, input) => {
    const { id, element_id: elementId } = input.params;
    return draftReply(await replaceColors(ctx, id, elementId, draftWrite(input), input.body));
  },
});

import { ImportedElement, SvgImportBody } from "../../contracts/templates/design-template.ts";
import { addDrawing } from "../../domain/templates/import-svg.ts";
import { SVG_IMPORT_CODES } from "../../lib/errors/svg-import-codes.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { guidField } from "../guid-field.ts";
import {
  CONTENT_ERRORS,
  DRAFT_ETAG,
  DRAFT_WRITE,
  draftReply,
  draftWrite,
  templateParams,
} from "./template-route.ts";

const { tag, access, createsOnce, inOrder, headers, errors } = DRAFT_WRITE;

export const importSvg = defineEndpoint({
  method: "post",
  path: "/api/v1/design-templates/{id}/draft/svg-imports",
  operationId: "importDesignSvg",
  summary: "Import an SVG drawing into the draft",
  description:
    "Adds one element: a group of elements that can be edited (`editable`), or the drawing as one artwork whose colors can be replaced (`preserved`). A drawing with content that is not imported changes nothing; `errors` names every such element.",
  tag,
  access,
  createsOnce,
  request: {
    params: templateParams,
    headers,
    body: SvgImportBody.extend({
      page_id: guidField("a page or master page"),
      parent_id: guidField("a group, region or folder").nullable().optional(),
    }),
    bodyLimit: "document_body",
    inOrder,
  },
  responses: { 201: { description: "The element", body: ImportedElement, headers: DRAFT_ETAG } },
  errors: [...errors, ...CONTENT_ERRORS, "page_not_found", ...SVG_IMPORT_CODES],
  handle: async (ctx, input) =>
    draftReply(await addDrawing(ctx, input.params.id, draftWrite(input), input.body)),
});

import * as z from "zod";
import { FontRevision } from "../../contracts/files/font.ts";
import { addFontRevision } from "../../domain/fonts/add-font-revision.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { guidField } from "../guid-field.ts";
import { FONT_FORM, FONT_FORM_ERRORS, withFontForm } from "./font-form.ts";

export const createFontRevision = defineEndpoint({
  method: "post",
  path: "/api/v1/fonts/{familyGuid}/revisions",
  operationId: "createFontRevision",
  summary: "Upload a revision of a font family",
  description:
    "The same form as for a new family. A revision is complete: send every variant. Earlier revisions are kept. If the files equal those of the current revision, no revision is created. Display name, category and fallback apply to the family.",
  tag: "Fonts",
  access: { scope: "assets:write", permission: "ws:assets:manage" },
  request: { params: z.object({ familyGuid: guidField("a font family") }) },
  createsOnce: true,
  rawBody: FONT_FORM,
  responses: {
    200: { description: "The current revision, which has the same files", body: FontRevision },
    201: { description: "The new revision", body: FontRevision },
  },
  errors: [...FONT_FORM_ERRORS, "not_found", "forbidden", "invalid_state"],
  handle: async (ctx, { params, creation }, c) =>
    withFontForm<200 | 201>(ctx, c, creation, async (form, claim) => {
      const { isNew, revision } = await addFontRevision(ctx, params.familyGuid, form, claim);
      return { status: isNew ? 201 : 200, revision };
    }),
});

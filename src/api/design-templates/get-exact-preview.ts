import * as z from "zod";
import { ExactPreview } from "../../contracts/templates/design-template.ts";
import { previewSampleSet } from "../../domain/templates/preview-sample-set.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { integerField } from "../query-fields.ts";
import { sampleSetParams } from "./edit-route.ts";
import { PAGE_DIMENSION } from "./render-body.ts";
import { DRAFT_ETAG, READ_TEMPLATES, TEMPLATE_ERRORS, TEMPLATE_TAG } from "./template-route.ts";

const dimension = integerField({
  min: LIMITS.page_image_side_min.value,
  max: LIMITS.page_image_side.value,
});

export const getExactPreview = defineEndpoint({
  method: "get",
  path: "/api/v1/design-templates/{id}/draft/sample-sets/{sample_set_id}/exact-preview",
  operationId: "getDesignTemplatePreview",
  summary: "Preview the draft with a sample set",
  description:
    "The pages as the PDF prints them, with the layout report and readability checks. Each `image_url` is readable without a token for an hour.",
  tag: TEMPLATE_TAG,
  access: READ_TEMPLATES,
  request: {
    params: sampleSetParams,
    query: z.object({ max_page_dimension: dimension.default(PAGE_DIMENSION) }),
    codes: { "query.max_page_dimension": "invalid_argument" },
    inOrder: true,
  },
  responses: {
    200: { description: "The preview", body: ExactPreview, headers: DRAFT_ETAG },
  },
  errors: [
    ...TEMPLATE_ERRORS,
    "invalid_sample_set_id",
    "invalid_argument",
    "sample_set_not_found",
    "preview_failed",
    "design_render_busy",
    "service_unavailable",
  ],
  handle: async (ctx, { params, query }) => {
    const body = await previewSampleSet(
      ctx,
      params.id,
      params.sample_set_id,
      query.max_page_dimension,
    );
    return { status: 200, body, headers: { etag: `"${body.draft_etag}"` } };
  },
});

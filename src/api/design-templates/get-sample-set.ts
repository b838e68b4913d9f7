import { EditedSampleSet } from "../../contracts/templates/design-template.ts";
import { readSampleSet } from "../../domain/templates/sample-sets.ts";
import { stringifyJson } from "../../lib/json/exact-json.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { sampleSetParams } from "./edit-route.ts";
import {
  DRAFT_ETAG,
  JSON_TYPE,
  READ_TEMPLATES,
  TEMPLATE_ERRORS,
  TEMPLATE_TAG,
} from "./template-route.ts";

export const getSampleSet = defineEndpoint({
  method: "get",
  path: "/api/v1/design-templates/{id}/draft/sample-sets/{sample_set_id}",
  operationId: "getDesignSampleSet",
  summary: "Read a sample set of the draft",
  description: "Its values are returned with the digits that were sent.",
  tag: TEMPLATE_TAG,
  access: READ_TEMPLATES,
  request: { params: sampleSetParams },
  responses: { 200: { description: "The sample set", body: EditedSampleSet, headers: DRAFT_ETAG } },
  errors: [...TEMPLATE_ERRORS, "invalid_sample_set_id", "sample_set_not_found"],
  handle: async (ctx, { params }) => {
    const { etag, set } = await readSampleSet(ctx, params.id, params.sample_set_id);
    return {
      response: new Response(stringifyJson({ draft_etag: etag, sample_set: set }), {
        headers: { "content-type": JSON_TYPE, etag: `"${etag}"` },
      }),
    };
  },
});

import * as z from "zod";
import { SampleSetList } from "../../contracts/templates/design-template.ts";
import { listSampleSets as list } from "../../domain/templates/sample-sets.ts";
import { stringifyJson } from "../../lib/json/exact-json.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { cursorField, limitField } from "../query-fields.ts";
import {
  DRAFT_ETAG,
  JSON_TYPE,
  READ_TEMPLATES,
  TEMPLATE_ERRORS,
  TEMPLATE_TAG,
  templateParams,
} from "./template-route.ts";

export const listSampleSets = defineEndpoint({
  method: "get",
  path: "/api/v1/design-templates/{id}/draft/sample-sets",
  operationId: "listDesignSampleSets",
  summary: "List the sample sets of the draft",
  description: "In the order of the document.",
  tag: TEMPLATE_TAG,
  access: READ_TEMPLATES,
  request: {
    params: templateParams,
    query: z.object({ limit: limitField(), starting_after: cursorField }),
    codes: { "query.starting_after": "invalid_request" },
  },
  responses: {
    200: { description: "A page of sample sets", body: SampleSetList, headers: DRAFT_ETAG },
  },
  errors: [...TEMPLATE_ERRORS, "invalid_request"],
  handle: async (ctx, { params, query }) => {
    const { etag, list: page } = await list(ctx, params.id, {
      limit: query.limit,
      startingAfter: query.starting_after,
    });
    return {
      response: new Response(stringifyJson(page), {
        headers: { "content-type": JSON_TYPE, etag: `"${etag}"` },
      }),
    };
  },
});

import * as z from "zod";
import { SharedTemplate } from "../../contracts/templates/share-link.ts";
import { readShared } from "../../domain/templates/share/shared-template.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { authorize } from "../middleware/authorize.ts";
import { TEMPLATE_TAG } from "./template-route.ts";

export const getSharedTemplate = defineEndpoint({
  method: "get",
  path: "/api/v1/shared-templates/{token}",
  operationId: "getSharedDesignTemplate",
  summary: "Read a shared design template",
  description:
    "What a share link shows: name, description and fields. A link with `require_sign_in` needs an access token of any workspace.",
  tag: TEMPLATE_TAG,
  access: "public",
  request: { params: z.object({ token: z.string().describe("The token of the link.") }) },
  responses: { 200: { description: "The shared template", body: SharedTemplate } },
  errors: ["unauthorized", "not_found", "share_link_closed", "too_many_requests"],
  handle: async (ctx, { params }, c) => ({
    status: 200,
    headers: { "cache-control": "no-store" },
    body: await readShared(
      ctx,
      params.token,
      () => authorize(c, { scope: null, permission: null }),
      c.req.header("cf-connecting-ip"),
    ),
  }),
});

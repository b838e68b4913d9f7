import { BundleValidation, ValidateBundle } from "../../contracts/files/bundle-manifest.ts";
import { askFileTypes } from "../../domain/assets/ask-file-types.ts";
import { validateBundle } from "../../domain/bundles/validate-bundle.ts";
import { defineEndpoint } from "../define-endpoint.ts";

export const validateBundleManifest = defineEndpoint({
  method: "post",
  path: "/api/v1/bundle-manifests/validate",
  operationId: "validateBundleManifest",
  summary: "Validate a bundle manifest",
  description:
    "Checks ids, portable paths, ownership, sizes, types, signatures and checksums against what is stored. Problems of entries are listed in `issues`, and `bundle` omits these entries. A stored file that is missing returns 404, one of another workspace 403. `validation` states how a run would treat the issues; it does not change the response of this route.",
  tag: "Assets",
  access: { scope: "assets:read", permission: "ws:assets:read" },
  isReadOnly: true,
  request: {
    body: ValidateBundle,
    codes: { "body.validation": "invalid_options", "body.verify_checksum": "invalid_options" },
  },
  responses: { 200: { description: "The result of the validation", body: BundleValidation } },
  errors: ["invalid_options", "not_found", "forbidden", "source_changed"],
  handle: async (ctx, { body }) => ({
    status: 200,
    body: await validateBundle(
      {
        env: ctx.env,
        workspaceId: ctx.principal.workspaceId,
        detectType: askFileTypes(ctx.env),
      },
      body.manifest,
      body.verify_checksum,
    ),
  }),
});

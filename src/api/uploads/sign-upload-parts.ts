import * as z from "zod";
import { PartGrant, PARTS_MAX } from "../../contracts/files/upload.ts";
import { signParts } from "../../domain/uploads/sign-parts.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { idField } from "../id-field.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";

/** 16 bytes in base64. */
const MD5 = /^[A-Za-z0-9+/]{21}[AQgw]==$/;
const PARTS_SIGNED_MAX = LIMITS.upload_parts_signed.value;

/** The parts of the route that the route of embeds shares. */
export const SIGN_UPLOAD_PARTS = {
  summary: "Get addresses for parts",
  description:
    "One address for each part, bound to its MD5 and valid for 15 minutes. Request a new one for each retry.",
  request: {
    params: z.object({ upload_id: idField("upload") }),
    body: z.strictObject({
      parts: z
        .array(
          z
            .strictObject({
              part_number: z.int().min(1).max(PARTS_MAX),
              size_bytes: z.int().min(1),
              checksum_base64: z
                .string()
                .regex(MD5, "Must be the MD5 of the part's bytes, 16 bytes in base64.")
                .describe("MD5 of the part, in base64."),
            })
            .meta({ id: "PartToSign" }),
        )
        .min(1)
        .max(PARTS_SIGNED_MAX),
    }),
  },
  responses: {
    200: {
      description: "The addresses",
      body: z.object({
        parts: z.array(PartGrant).describe("An address for each part that was named."),
      }),
    },
  },
  errors: [
    "invalid_id",
    "invalid_size",
    "forbidden",
    "not_found",
    "conflict",
    "upload_expired",
    "invalid_state",
    "feature_disabled",
  ],
} as const;

export const signUploadParts = defineEndpoint({
  ...SIGN_UPLOAD_PARTS,
  method: "post",
  path: "/api/v1/assets/uploads/{upload_id}/parts:sign",
  operationId: "signUploadParts",
  tag: "Assets",
  access: { scope: "assets:write", permission: "ws:assets:manage" },
  handle: async (ctx, { params, body }) => ({
    status: 200,
    body: await signParts(ctx, params.upload_id, body.parts),
  }),
});

import type { Context } from "hono";
import { FontForm } from "../../contracts/font.ts";
import type { IncomingFontForm } from "../../domain/fonts/read-font-form.ts";
import type { CallerContext } from "../../platform/context.ts";
import type { AppEnv } from "../app-env.ts";
import { takeBody } from "../take-body.ts";

/** How both uploads document their body. */
export const FONT_FORM = { contentType: "multipart/form-data", schema: FontForm } as const;

/** Codes of both uploads. */
export const FONT_FORM_ERRORS = [
  "invalid_request",
  "validation_error",
  "invalid_id",
  "FONT_LICENSE_ACKNOWLEDGEMENT_REQUIRED",
  "FONT_REGULAR_REQUIRED",
  "FONT_DUPLICATE_VARIANT",
  "FONT_FAMILY_MISMATCH",
  "FONT_INVALID",
  "FONT_VARIABLE_UNSUPPORTED",
  "FONT_WEB_FORMAT_UNSUPPORTED",
  "FONT_COLLECTION_UNSUPPORTED",
  "FONT_FAMILY_ALREADY_EXISTS",
  "FONT_FILE_TOO_LARGE",
  "FONT_FAMILY_TOO_LARGE",
  "quota_exceeded",
  "unsupported_media_type",
] as const;

/** Hands the request's form to `upload` as a stream; a request without a body is an empty one. */
export async function withFontForm<T>(
  ctx: CallerContext,
  c: Context<AppEnv>,
  upload: (form: IncomingFontForm) => Promise<T>,
): Promise<T> {
  const { headers } = c.req.raw;
  return await takeBody(
    ctx,
    c.req.raw,
    async (read) => await upload({ contentType: headers.get("content-type"), read }),
  );
}

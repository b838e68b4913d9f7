import type { Context } from "hono";
import { FontForm, type FontRevision } from "../../contracts/files/font.ts";
import type { IncomingFontForm } from "../../domain/fonts/read-font-form.ts";
import type { CallerContext } from "../../platform/context.ts";
import type { AppEnv } from "../app-env.ts";
import { takeBody } from "../take-body.ts";
import {
  type CreationClaim,
  type CreationKey,
  createOnce,
} from "../../domain/idempotency/create-once.ts";
import { fingerprintForm } from "../../domain/idempotency/request-fingerprint.ts";
import { readFontRevision } from "../../domain/fonts/read-font-revision.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";
import { replayHeaders } from "../replay-headers.ts";

/** The documented body of both uploads. */
export const FONT_FORM = { contentType: "multipart/form-data", schema: FontForm } as const;

/** Error codes of both uploads. */
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

/** The size of all files and of the fields. */
const FORM_BYTES_MAX = LIMITS.font_family.value + 1024 * 1024;

export interface FontResponse<S extends number> {
  readonly status: S;
  readonly revision: FontRevision;
}

/**
 * Passes the request's form to `upload` as a stream, once per key; a request without a body is an empty form. `upload`
 * returns the revision and the status, which a repeat also returns.
 */
export async function withFontForm<S extends number>(
  ctx: CallerContext,
  c: Context<AppEnv>,
  creation: CreationKey | undefined,
  upload: (form: IncomingFontForm, claim: CreationClaim | undefined) => Promise<FontResponse<S>>,
) {
  const contentType = c.req.raw.headers.get("content-type");
  const { value, isReplay } = await takeBody(ctx, c.req.raw, (read) =>
    createOnce(ctx, creation, {
      create: (claim) => upload({ contentType, read }, claim),
      replay: async ({ resourceId, status }) => ({
        status: status as S,
        revision: await readFontRevision(ctx, resourceId),
      }),
      readForm: () => fingerprintForm({ contentType, read }, FORM_BYTES_MAX),
    }),
  );
  return { status: value.status, body: value.revision, headers: replayHeaders(isReplay) };
}

import { AppError } from "../../lib/errors/errors.ts";
import type { AppContext } from "../../platform/context.ts";

/** Throws `feature_disabled` if the operator has switched presigned uploads off. */
export function requireUploads(ctx: AppContext): void {
  if (ctx.env.PRESIGNED_UPLOADS === "off") {
    throw new AppError(
      "feature_disabled",
      "Presigned uploads are switched off in this deployment. Upload through POST /api/v1/assets.",
    );
  }
}

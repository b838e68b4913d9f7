import type { CheckedFont, FontCheckResponse } from "../../formats/font/font-check.ts";
import { describeCause } from "../../lib/errors/describe-cause.ts";
import { AppError } from "../../lib/errors/errors.ts";
import type { CallerContext } from "../../platform/context.ts";

/**
 * Has the runner check the stored bytes: their structure, then a trial run of HarfBuzz. Throws
 * `FONT_INVALID`, `FONT_VARIABLE_UNSUPPORTED`, `FONT_WEB_FORMAT_UNSUPPORTED`,
 * `FONT_COLLECTION_UNSUPPORTED`, and `service_unavailable` if the check could not be done.
 */
export async function checkFont(
  ctx: CallerContext,
  key: string,
  shown: string,
): Promise<CheckedFont> {
  let response: FontCheckResponse;
  try {
    response = await ctx.env.FONT_CHECKER.check({
      v: 1,
      workspaceId: ctx.principal.workspaceId,
      key,
    });
  } catch (error) {
    ctx.log.error("font_check_failed", { reason: describeCause(error) });
    throw new AppError(
      "service_unavailable",
      "Fonts cannot be checked at the moment, and unchecked fonts are not accepted. Try again.",
      { headers: { "retry-after": "5" } },
    );
  }
  if (!response.ok) {
    throw new AppError(response.code, `${shown}: ${response.message}`);
  }
  return response.value;
}

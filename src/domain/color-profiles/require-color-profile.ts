import { AppError } from "../../lib/errors/errors.ts";
import type { CallerContext } from "../../platform/context.ts";
import { type ColorProfileRow, ColorProfileStore } from "../../storage/d1/color-profile-store.ts";

/** Returns a profile of the caller's workspace. Throws `not_found`, and `forbidden` for another workspace's. */
export async function requireColorProfile(
  ctx: CallerContext,
  guid: string,
): Promise<ColorProfileRow> {
  const found = await new ColorProfileStore(ctx.env, ctx.principal.workspaceId).find(guid);
  if (found === undefined) {
    throw new AppError(
      "not_found",
      `There is no color profile ${guid}. GET /api/v1/color-profiles lists them.`,
    );
  }
  if (found === "elsewhere") {
    throw new AppError("forbidden", `The color profile ${guid} belongs to another workspace.`);
  }
  return found;
}

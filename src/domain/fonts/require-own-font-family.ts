import { AppError } from "../../lib/errors.ts";
import type { CallerContext } from "../../platform/context.ts";
import type { FontFamilyRow } from "../../storage/d1/font-store.ts";
import { requireFontFamily } from "./require-font-family.ts";

/** A family that the caller may change. Throws `not_found`, and `forbidden` for the system's and another workspace's. */
export async function requireOwnFontFamily(
  ctx: CallerContext,
  familyGuid: string,
): Promise<FontFamilyRow> {
  const found = await requireFontFamily(ctx, familyGuid);
  if ("system" in found) {
    throw new AppError(
      "forbidden",
      `"${found.system.displayName}" ships with the service and cannot be changed. Upload a family of your own.`,
    );
  }
  return found.row;
}

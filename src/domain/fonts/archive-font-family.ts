import type { FontFamily } from "../../contracts/files/font.ts";
import type { CallerContext } from "../../platform/context.ts";
import { FontStore } from "../../storage/d1/font-store.ts";
import { describeFontFamily } from "./describe-font-family.ts";
import { requireOwnFontFamily } from "./require-font-family.ts";

/**
 * Removes a family from lists and closes it to revisions. References to its revisions stay valid,
 * and its name stays reserved (docs/contract/fonts.md#families). A repeat has no effect. Throws
 * `not_found`, `forbidden`.
 */
export async function archiveFontFamily(
  ctx: CallerContext,
  familyGuid: string,
): Promise<FontFamily> {
  const row = await requireOwnFontFamily(ctx, familyGuid);
  const store = new FontStore(ctx.env, ctx.principal.workspaceId);
  await store.archive(familyGuid);
  const files = await store.filesOf([row.version_id]);
  return describeFontFamily(ctx, { ...row, state: "archived" }, files);
}

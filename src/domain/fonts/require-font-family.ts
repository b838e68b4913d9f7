import { AppError } from "../../lib/errors/errors.ts";
import type { CallerContext } from "../../platform/context.ts";
import { FontStore } from "../../storage/d1/font-store.ts";
import type { FontFamilyRow } from "../../storage/d1/font-rows.ts";
import { findSystemFamily } from "./find-system-family.ts";
import type { SystemFamily } from "./system-family.ts";

/**
 * A family that the caller may read: the system's, or the workspace's own, including archived ones.
 * Throws `not_found`, and `forbidden` for another workspace's (docs/contract/fonts.md#families).
 */
export async function requireFontFamily(
  ctx: CallerContext,
  familyGuid: string,
): Promise<{ readonly system: SystemFamily } | { readonly row: FontFamilyRow }> {
  const system = findSystemFamily(familyGuid);
  if (system !== undefined) {
    return { system };
  }
  const row = await new FontStore(ctx.env, ctx.principal.workspaceId).find(familyGuid);
  if (row === "elsewhere") {
    throw new AppError(
      "forbidden",
      `The font family ${familyGuid} belongs to another workspace. Use a key of that workspace.`,
    );
  }
  if (row === undefined) {
    throw new AppError(
      "not_found",
      `There is no font family ${familyGuid}. GET /api/v1/fonts lists the families.`,
    );
  }
  return { row };
}

/**
 * A family that the caller may change. Throws `not_found`, and `forbidden` for a system family and
 * for another workspace's.
 */
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

import { AppError } from "../../lib/errors/errors.ts";
import type { FontFamilyRow } from "../../storage/d1/font-rows.ts";

/** `FONT_FAMILY_ALREADY_EXISTS`, with the likely fix. */
export function fontNameTaken(holder: FontFamilyRow | undefined, displayName: string): AppError {
  const what =
    holder?.state === "archived"
      ? "an archived family has this name and keeps it. Choose another name"
      : "names are compared without case. Choose another name, or add a revision to the existing family: POST /api/v1/fonts/{familyGuid}/revisions";
  return new AppError(
    "FONT_FAMILY_ALREADY_EXISTS",
    `The workspace already has a font family "${displayName}"; ${what}.`,
    holder === undefined ? {} : { members: { familyGuid: holder.id } },
  );
}

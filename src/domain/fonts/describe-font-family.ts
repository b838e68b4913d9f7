import type { FontFamily } from "../../contracts/font.ts";
import type { AppContext } from "../../platform/context.ts";
import type { FontFamilyRow, FontFileRow } from "../../storage/d1/font-store.ts";
import { describeFontFile } from "./describe-font-file.ts";

/** What callers see of a family of their workspace; `files` are those of its current revision. */
export function describeFontFamily(
  ctx: Pick<AppContext, "baseUrl">,
  row: FontFamilyRow,
  files: readonly FontFileRow[],
): FontFamily {
  return {
    familyGuid: row.id,
    family: row.family,
    displayName: row.display_name,
    category: row.category,
    scope: "workspace",
    status: row.state,
    systemFallbackFamilyGuid: row.fallback_id,
    versionGuid: row.version_id,
    revisionNumber: row.revision_number,
    files: files.map((file) =>
      describeFontFile(ctx, row.id, row.version_id, {
        ...file,
        fileGuid: file.id,
        sizeBytes: file.size_bytes,
      }),
    ),
  };
}

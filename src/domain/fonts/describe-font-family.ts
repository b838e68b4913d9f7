import type { FontFamily, FontFile } from "../../contracts/files/font.ts";
import type { AppContext } from "../../platform/context.ts";
import type { FontFamilyRow, FontFileRow } from "../../storage/d1/font-rows.ts";
import type { SystemFamily } from "./system-family.ts";

/** The public view of a workspace's family; `files` are those of its current revision. */
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

/** The public view of one file of a revision, with its permanent reference. */
function describeFontFile(
  { baseUrl }: Pick<AppContext, "baseUrl">,
  familyGuid: string,
  versionGuid: string,
  file: Pick<
    FontFile,
    "fileGuid" | "variant" | "weight" | "style" | "format" | "sizeBytes" | "sha256"
  >,
): FontFile {
  const { fileGuid, variant, weight, style, format, sizeBytes, sha256 } = file;
  return {
    fileGuid,
    variant,
    weight,
    style,
    format,
    sizeBytes,
    sha256,
    downloadUrl: `${baseUrl}/api/v1/fonts/${familyGuid}/versions/${versionGuid}/files/${fileGuid}`,
    reference: {
      schema: "svc.font-reference/v1",
      familyGuid,
      versionGuid,
      fileGuid,
      variant,
      sha256,
    },
  };
}

/** The public view of a family that ships with the service. */
export function describeSystemFamily(
  ctx: Pick<AppContext, "baseUrl">,
  system: SystemFamily,
): FontFamily {
  return {
    familyGuid: system.familyGuid,
    family: system.family,
    displayName: system.displayName,
    category: system.category,
    scope: "system",
    status: "active",
    systemFallbackFamilyGuid: null,
    versionGuid: system.versionGuid,
    revisionNumber: system.revisionNumber,
    files: system.files.map((file) =>
      describeFontFile(ctx, system.familyGuid, system.versionGuid, file),
    ),
  };
}

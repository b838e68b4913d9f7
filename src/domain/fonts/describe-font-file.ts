import type { FontFile } from "../../contracts/font.ts";
import type { AppContext } from "../../platform/context.ts";

/** What callers see of one file of a revision, with the reference that names it for good. */
export function describeFontFile(
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

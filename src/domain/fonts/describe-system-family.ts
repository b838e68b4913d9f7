import type { FontFamily } from "../../contracts/font.ts";
import type { AppContext } from "../../platform/context.ts";
import { describeFontFile } from "./describe-font-file.ts";
import type { SystemFamily } from "./system-family.ts";

/** What callers see of a family that ships with the service. */
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

import { SYSTEM_FAMILIES } from "../../../../src/domain/fonts/system-families.ts";

/** The reference of an upright file of a system family, as documents name it. */
export function findSystemFile(displayName: string, weight: number) {
  const family = SYSTEM_FAMILIES.find((one) => one.displayName === displayName);
  const file = family?.files.find((one) => one.weight === weight && one.style === "normal");
  if (family === undefined || file === undefined) {
    throw new Error(`There is no system font ${displayName} ${weight}.`);
  }
  const { familyGuid, versionGuid } = family;
  const { fileGuid, variant, sha256 } = file;
  return {
    schema: "svc.font-reference/v1",
    familyGuid,
    versionGuid,
    fileGuid,
    variant,
    sha256,
  } as const;
}

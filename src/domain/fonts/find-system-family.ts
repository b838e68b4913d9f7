import { SYSTEM_FAMILIES } from "./system-families.ts";
import type { SystemFamily } from "./system-family.ts";

/** The family with this GUID that ships with the service; undefined if there is none. */
export function findSystemFamily(familyGuid: string): SystemFamily | undefined {
  return SYSTEM_FAMILIES.find((family) => family.familyGuid === familyGuid);
}

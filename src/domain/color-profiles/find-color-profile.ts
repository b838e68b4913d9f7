import type { ReferencedColorProfile } from "../../contracts/templates/color-profile.ts";
import { tryParseGuid } from "../../platform/guid.ts";
import { type ColorProfileRow, ColorProfileStore } from "../../storage/d1/color-profile-store.ts";
import type { ReferenceContext } from "../references/reference-context.ts";

/** Returns what renders need of a profile; undefined if the caller's workspace has none of that GUID. */
export async function findColorProfile(
  ctx: ReferenceContext,
  given: string,
): Promise<ReferencedColorProfile | undefined> {
  const guid = tryParseGuid(given);
  const store = new ColorProfileStore(ctx.env, ctx.principal.workspaceId);
  const row = guid === undefined ? undefined : await store.find(guid);
  return row === undefined || row === "elsewhere" ? undefined : referencedColorProfile(row);
}

export function referencedColorProfile(row: ColorProfileRow): ReferencedColorProfile {
  const { guid, name, output_condition_identifier, sha256, size_bytes, storage_key: key } = row;
  return { guid, name, output_condition_identifier, sha256, size_bytes, key };
}

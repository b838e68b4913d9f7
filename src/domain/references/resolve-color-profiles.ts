import type { Reference, ResolvedReference } from "../../contracts/references.ts";
import { asJson } from "../../lib/json/exact-json.ts";
import { tryParseGuid } from "../../platform/guid.ts";
import { ColorProfileStore } from "../../storage/d1/color-profile-store.ts";
import { referencedColorProfile } from "../color-profiles/find-color-profile.ts";
import type { ReferenceContext } from "./reference-context.ts";

/**
 * Fetches color profiles of the caller's workspace. A published version keeps profiles that were deleted since; other
 * definitions do not have them (docs/contract/templates.md#color-profiles).
 */
export async function resolveColorProfiles(
  ctx: ReferenceContext,
  references: readonly Reference[],
): Promise<readonly ResolvedReference[]> {
  const guids = references.flatMap(({ id }) => tryParseGuid(id) ?? []);
  const rows = await new ColorProfileStore(ctx.env, ctx.principal.workspaceId).findAll(guids, {
    withDeleted: ctx.pins?.of === "version",
  });
  const byGuid = new Map(rows.map((row) => [row.guid, referencedColorProfile(row)]));
  return references.flatMap((reference) => {
    const found = byGuid.get(tryParseGuid(reference.id) ?? "");
    return found === undefined
      ? []
      : [{ ...reference, version: found.guid, content: asJson(found) }];
  });
}

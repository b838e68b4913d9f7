import type { FontRevision } from "../../contracts/files/font.ts";
import { AppError } from "../../lib/errors/errors.ts";
import type { CallerContext } from "../../platform/context.ts";
import { FontStore } from "../../storage/d1/font-store.ts";

/** One revision of a family of the workspace, archived or not. Throws `not_found`. */
export async function readFontRevision(
  ctx: CallerContext,
  versionGuid: string,
): Promise<FontRevision> {
  const store = new FontStore(ctx.env, ctx.principal.workspaceId);
  const row = await store.findRevision(versionGuid);
  if (row === undefined) {
    throw new AppError("not_found", `The font revision ${versionGuid} was deleted.`);
  }
  return {
    familyGuid: row.family_id,
    versionGuid,
    revisionNumber: row.revision_number,
    family: row.family,
    fingerprint: row.fingerprint,
    fileCount: row.file_count,
  };
}

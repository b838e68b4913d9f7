import type { FontRevision } from "../../contracts/files/font.ts";
import { FormDigest } from "../../formats/form-digest.ts";
import type { CallerContext } from "../../platform/context.ts";
import { newGuid } from "../../platform/guid.ts";
import { FontStore } from "../../storage/d1/font-store.ts";
import type { CreationClaim } from "../idempotency/create-once.ts";
import { fontNameTaken } from "./font-name-taken.ts";
import { FontUpload } from "./font-upload.ts";
import { parseFontFields } from "./parse-font-fields.ts";
import { type IncomingFontForm, readFontForm } from "./read-font-form.ts";

/**
 * Creates a family from the files of a form, as they arrive (docs/contract/fonts.md#uploads).
 * Nothing is left if it fails. Throws the errors of the form and its files, and
 * `FONT_FAMILY_ALREADY_EXISTS`.
 */
export async function createFontFamily(
  ctx: CallerContext,
  form: IncomingFontForm,
  claim?: CreationClaim,
): Promise<FontRevision> {
  const upload = new FontUpload(ctx);
  try {
    const digest = claim && new FormDigest();
    const fields = parseFontFields(await readFontForm(form, upload, digest));
    const revision = await upload.revision();
    const store = new FontStore(ctx.env, ctx.principal.workspaceId);
    const id = newGuid(ctx.nowMs());
    const family = upload.family ?? "";
    const once = claim?.statements(201, digest?.fingerprint());
    if (!(await store.insert({ ...fields, id, family }, revision, once))) {
      throw fontNameTaken(await store.findByName(fields.displayName), fields.displayName);
    }
    return {
      familyGuid: id,
      versionGuid: revision.versionId,
      revisionNumber: 1,
      family,
      fingerprint: revision.fingerprint,
      fileCount: revision.files.length,
    };
  } finally {
    await upload.clear();
  }
}

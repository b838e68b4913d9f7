import type { FontRevision } from "../../contracts/files/font.ts";
import { FormDigest } from "../../formats/form-digest.ts";
import { AppError } from "../../lib/errors/errors.ts";
import { foldCase } from "../../lib/fold-case.ts";
import type { CallerContext } from "../../platform/context.ts";
import { FontStore } from "../../storage/d1/font-store.ts";
import type { FontFamilyRow } from "../../storage/d1/font-rows.ts";
import type { CreationClaim } from "../idempotency/create-once.ts";
import { fontNameTaken } from "./font-name-taken.ts";
import { FontUpload } from "./font-upload.ts";
import { parseFontFields } from "./parse-font-fields.ts";
import { type IncomingFontForm, readFontForm } from "./read-font-form.ts";
import { requireOwnFontFamily } from "./require-font-family.ts";

/**
 * Creates the next revision of a family; earlier ones stay (docs/contract/fonts.md#uploads). If the
 * files are those of the current revision, that revision is returned and none is created
 * (docs/contract/fonts.md#families); `isNew` tells the two cases apart. The family always takes
 * over the form's name, category and fallback. Throws the errors of the form and its files,
 * `not_found`, `forbidden`, `invalid_state` for an archived family, `FONT_FAMILY_MISMATCH` for
 * files of another family, `FONT_FAMILY_ALREADY_EXISTS` for another family's name.
 */
export async function addFontRevision(
  ctx: CallerContext,
  familyGuid: string,
  form: IncomingFontForm,
  claim?: CreationClaim,
): Promise<{ readonly revision: FontRevision; readonly isNew: boolean }> {
  const before = requireActive(await requireOwnFontFamily(ctx, familyGuid));
  const upload = new FontUpload(ctx);
  try {
    const digest = claim && new FormDigest();
    const fields = parseFontFields(await readFontForm(form, upload, digest));
    const revision = await upload.revision();
    if (foldCase(upload.family ?? "") !== foldCase(before.family)) {
      throw new AppError(
        "FONT_FAMILY_MISMATCH",
        `The files are of the family "${upload.family ?? ""}" according to their name tables, but this family is "${before.family}". Upload them as a separate family: POST /api/v1/fonts.`,
      );
    }
    const store = new FontStore(ctx.env, ctx.principal.workspaceId);
    const outcome = await store.insertRevision(
      familyGuid,
      fields,
      revision,
      claim?.statements(201, digest?.fingerprint()),
    );
    if (outcome === "name_taken") {
      throw fontNameTaken(await store.findByName(fields.displayName), fields.displayName);
    }
    if (outcome === "unchanged") {
      const current = requireActive(await requireOwnFontFamily(ctx, familyGuid));
      await claim?.settle(current.version_id, 200, digest?.fingerprint());
      return { isNew: false, revision: describeCurrent(current) };
    }
    return {
      isNew: true,
      revision: {
        familyGuid,
        versionGuid: revision.versionId,
        revisionNumber: outcome,
        family: before.family,
        fingerprint: revision.fingerprint,
        fileCount: revision.files.length,
      },
    };
  } finally {
    await upload.clear();
  }
}

function describeCurrent(row: FontFamilyRow): FontRevision {
  return {
    familyGuid: row.id,
    versionGuid: row.version_id,
    revisionNumber: row.revision_number,
    family: row.family,
    fingerprint: row.fingerprint,
    fileCount: row.file_count,
  };
}

function requireActive(row: FontFamilyRow): FontFamilyRow {
  if (row.state === "archived") {
    throw new AppError(
      "invalid_state",
      `The font family "${row.display_name}" is archived and does not accept revisions. Upload a family under another name.`,
    );
  }
  return row;
}

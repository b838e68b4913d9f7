import type { FontReference } from "../../contracts/files/font.ts";
import type { CallerContext } from "../../platform/context.ts";
import { newGuid } from "../../platform/guid.ts";
import type { FontFamilyRow, FontFileRow } from "../../storage/d1/font-rows.ts";
import { FontStore } from "../../storage/d1/font-store.ts";
import { nameWith } from "../copy-name.ts";
import { fontNameTaken } from "./font-name-taken.ts";
import { fingerprintOf, FontUpload } from "./font-upload.ts";

/** Names that are tried: `Name`, `Name (2)`, … */
const NAMES_MAX = 20;

/** A family of the caller's workspace with the files of another workspace's revision. */
export interface CopiedFamily {
  readonly displayName: string;
  /** References to its files, by variant. */
  readonly references: ReadonlyMap<string, FontReference>;
}

/**
 * Copies a revision of another workspace's family to the caller's, as a family of the same name or of the next free one.
 * An active family with the same files is used as it is. Throws `quota_exceeded`, and `FONT_FAMILY_ALREADY_EXISTS` if no
 * name is free.
 */
export async function copyFontFamily(
  ctx: CallerContext,
  family: FontFamilyRow,
  files: readonly FontFileRow[],
): Promise<CopiedFamily> {
  const store = new FontStore(ctx.env, ctx.principal.workspaceId);
  const fingerprint = await fingerprintOf(files);
  for (let number = 1; number <= NAMES_MAX; number += 1) {
    const displayName =
      number === 1 ? family.display_name : nameWith(family.display_name, ` (${String(number)})`);
    const found = await store.findByName(displayName);
    if (found === undefined) {
      await create(ctx, store, { ...family, display_name: displayName }, files);
    }
    // Another copy may have taken the name meanwhile, with the same files.
    const holder = found ?? (await store.findByName(displayName));
    if (holder?.state === "active" && holder.fingerprint === fingerprint) {
      return { displayName, references: await referencesOf(store, holder) };
    }
  }
  throw fontNameTaken(undefined, family.display_name);
}

/** Does nothing if the name is taken by then. */
async function create(
  ctx: CallerContext,
  store: FontStore,
  { display_name: displayName, family, category, fallback_id: fallbackId }: FontFamilyRow,
  files: readonly FontFileRow[],
): Promise<void> {
  const upload = new FontUpload(ctx);
  try {
    for (const file of files) {
      await upload.copy(family, file);
    }
    const fields = { id: newGuid(ctx.nowMs()), family, displayName, category, fallbackId };
    await store.insert(fields, await upload.revision());
  } finally {
    await upload.clear();
  }
}

async function referencesOf(
  store: FontStore,
  { id, version_id: versionGuid }: FontFamilyRow,
): Promise<ReadonlyMap<string, FontReference>> {
  const files = await store.filesOf([versionGuid]);
  return new Map(
    files.map(({ id: fileGuid, variant, sha256 }) => [
      variant,
      {
        schema: "svc.font-reference/v1",
        familyGuid: id,
        versionGuid,
        fileGuid,
        variant,
        sha256,
      },
    ]),
  );
}

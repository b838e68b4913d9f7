import type { FontReference } from "../../../contracts/files/font.ts";
import type { FontPin, RenderedTemplate } from "../../../contracts/templates/renderer.ts";
import type { SystemFamily } from "../../../domain/fonts/system-family.ts";
import { SYSTEM_FAMILIES } from "../../../domain/fonts/system-families.ts";
import { foldCase } from "../../../lib/fold-case.ts";
import type { Databases } from "../../../storage/d1/databases.ts";
import { FontStore } from "../../../storage/d1/font-store.ts";
import type { FontFileRow } from "../../../storage/d1/font-rows.ts";
import type { FontVariant } from "../../../render/fonts/choose-variant.ts";

/** A font file that a render may use. */
export interface CatalogFile extends FontVariant {
  /** Of the file's bytes, in hexadecimal. */
  readonly sha256: string;
  readonly sizeBytes: number;
  readonly place:
    | { readonly kind: "system"; readonly asset: string }
    | { readonly kind: "workspace"; readonly key: string };
}

export interface CatalogFamily {
  /** The revision, as a template pins it; null if no family is there. */
  readonly revision: Omit<FontPin, "name"> | null;
  readonly files: readonly CatalogFile[];
  /** The system family that stands in for missing characters. */
  readonly fallback: readonly CatalogFile[];
}

/** The system family that a family of the workspace has chosen for missing characters. */
export interface CatalogFallback {
  /** Null for none. */
  readonly familyGuid: string | null;
  readonly files: readonly CatalogFile[];
}

/** The families and files that a document names, looked up for one workspace. */
export interface FontCatalog {
  /** By name without case; names without an active family are missing. */
  readonly families: ReadonlyMap<string, CatalogFamily>;
  /** By SHA-256; files that are not there are missing. */
  readonly files: ReadonlyMap<string, CatalogFile>;
  /** Of the families whose files the document names, by GUID; those of the service are missing. */
  readonly fallbacks: ReadonlyMap<string, CatalogFallback>;
}

/** The name in pins of families of which the document names a file: no family is named so. */
export const PIN_OF_FILES = "";

const SYSTEM: ReadonlyMap<string, CatalogFamily> = new Map(
  SYSTEM_FAMILIES.flatMap((family) => {
    const { familyGuid, versionGuid } = family;
    const entry: CatalogFamily = {
      revision: { family_guid: familyGuid, version_guid: versionGuid, fallback_guid: null },
      files: systemFiles(family),
      fallback: [],
    };
    return [family.family, family.displayName].map((name) => [foldCase(name), entry] as const);
  }),
);

/** What a document without fonts of its own may name. */
export const SYSTEM_CATALOG: FontCatalog = {
  families: SYSTEM,
  files: new Map(),
  fallbacks: new Map(),
};

/** The system families, in the order in which they stand in for missing characters. */
export const SYSTEM_FALLBACKS: readonly (readonly CatalogFile[])[] = SYSTEM_FAMILIES.toSorted(
  (a, b) => (foldCase(a.displayName) < foldCase(b.displayName) ? -1 : 1),
).map(systemFiles);

/** Prints texts whose family is not known. */
export const DEFAULT_FAMILY: CatalogFamily = SYSTEM.get(foldCase("Noto Sans")) ?? {
  revision: null,
  files: [],
  fallback: [],
};

/** Looks names and files up: what is pinned first, then active families of the workspace, then those of the service. */
export async function loadFontCatalog(
  env: Databases,
  workspaceId: string,
  names: readonly string[],
  references: readonly FontReference[],
  { revision, font_pins: pins = [] }: Pick<RenderedTemplate, "revision" | "font_pins">,
): Promise<FontCatalog> {
  const store = new FontStore(env, workspaceId);
  const pinned = new Map(pins.map((pin) => [foldCase(pin.name), pin]));
  const families = new Map<string, CatalogFamily>();
  await Promise.all(
    [...new Set(names.map(foldCase))].map(async (name) => {
      const found = (await ofWorkspace(store, name, pinned.get(name))) ?? SYSTEM.get(name);
      if (found !== undefined) {
        families.set(name, found);
      }
    }),
  );
  const files = new Map<string, CatalogFile>();
  await Promise.all(
    references.map(async (reference) => {
      const found = systemFileOf(reference) ?? (await workspaceFileOf(store, reference));
      if (found?.sha256 === reference.sha256) {
        files.set(reference.sha256, found);
      }
    }),
  );
  const guids = [...new Set(references.map(({ familyGuid }) => familyGuid))];
  const fallbacks =
    revision === null && pins.length === 0
      ? await chosenFallbacks(store, guids)
      : pinnedFallbacks(guids, pins);
  return { families, files, fallbacks };
}

/** As the families of a draft stand; a run has pinned those of its submit. */
async function chosenFallbacks(
  store: FontStore,
  guids: readonly string[],
): Promise<ReadonlyMap<string, CatalogFallback>> {
  const own = guids.filter((guid) => !SYSTEM_FAMILIES.some((one) => one.familyGuid === guid));
  const rows = own.length === 0 ? [] : await store.load(own);
  return new Map(rows.map(({ id, fallback_id: fallbackId }) => [id, fallbackOf(fallbackId)]));
}

/** Of a revision from before these pins none is known: it prints as it was published. */
function pinnedFallbacks(
  guids: readonly string[],
  pins: readonly FontPin[],
): ReadonlyMap<string, CatalogFallback> {
  return new Map(
    pins
      .filter(({ name, family_guid: guid }) => name === PIN_OF_FILES && guids.includes(guid))
      .map(({ family_guid: guid, fallback_guid: fallbackId }) => [guid, fallbackOf(fallbackId)]),
  );
}

function fallbackOf(id: string | null): CatalogFallback {
  const family = SYSTEM_FAMILIES.find(({ familyGuid }) => familyGuid === id);
  return family === undefined
    ? { familyGuid: null, files: [] }
    : { familyGuid: family.familyGuid, files: systemFiles(family) };
}

async function ofWorkspace(
  store: FontStore,
  name: string,
  pin: FontPin | undefined,
): Promise<CatalogFamily | undefined> {
  if (SYSTEM_FAMILIES.some(({ familyGuid }) => familyGuid === pin?.family_guid)) {
    // The workspace may have a family of this name by now.
    return undefined;
  }
  const family = await (pin === undefined ? store.findActive(name) : store.find(pin.family_guid));
  if (family === undefined || family === "elsewhere") {
    return undefined;
  }
  const versionId = pin?.version_guid ?? family.version_id;
  const fallbackId = pin === undefined ? family.fallback_id : pin.fallback_guid;
  const rows = await store.filesOf([versionId]);
  const fallback = fallbackOf(fallbackId);
  return rows.length === 0
    ? undefined
    : {
        revision: {
          family_guid: family.id,
          version_guid: versionId,
          fallback_guid: fallback.familyGuid,
        },
        files: rows.map(rowFile),
        fallback: fallback.files,
      };
}

function systemFiles({ files }: SystemFamily): readonly CatalogFile[] {
  return files.map(({ weight, style, sha256, sizeBytes, asset }) => ({
    weight,
    style,
    sha256,
    sizeBytes,
    place: { kind: "system", asset },
  }));
}

function rowFile({ weight, style, sha256, size_bytes: sizeBytes, key }: FontFileRow): CatalogFile {
  return { weight, style, sha256, sizeBytes, place: { kind: "workspace", key } };
}

function systemFileOf({ familyGuid, fileGuid }: FontReference): CatalogFile | undefined {
  const family = SYSTEM_FAMILIES.find((one) => one.familyGuid === familyGuid);
  const at = family?.files.findIndex((file) => file.fileGuid === fileGuid) ?? -1;
  return family === undefined ? undefined : systemFiles(family)[at];
}

async function workspaceFileOf(
  store: FontStore,
  { familyGuid, versionGuid, fileGuid }: FontReference,
): Promise<CatalogFile | undefined> {
  const row = await store.findFile(familyGuid, versionGuid, { fileId: fileGuid });
  return row && rowFile(row);
}

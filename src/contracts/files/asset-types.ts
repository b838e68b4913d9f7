import {
  MEDIA_KIND_NAMES,
  type MediaFile,
  type MediaKind,
  mediaKind,
} from "../media/media-kinds.ts";

/** The kinds of files, used as storage categories and as types of media inputs. */
export const ASSET_KINDS: readonly AssetKind[] = [...MEDIA_KIND_NAMES, "data", "other"];
export type AssetKind = MediaKind | "data" | "other";

export interface AssetType extends MediaFile {
  readonly kind: AssetKind;
}

/**
 * Every file extension that may be stored (docs/contract/assets.md#files), in lower case without
 * the dot, with its kind and content type.
 */
export const ASSET_TYPES: ReadonlyMap<string, AssetType> = new Map<string, AssetType>([
  ...MEDIA_KIND_NAMES.flatMap((kind) =>
    Object.entries(mediaKind(kind).files).map(
      ([extension, file]) => [extension, { ...file, kind }] as const,
    ),
  ),
  ["csv", { contentType: "text/csv", kind: "data" }],
  ["tsv", { contentType: "text/tab-separated-values", kind: "data" }],
  ["json", { contentType: "application/json", kind: "data" }],
  ["ndjson", { contentType: "application/x-ndjson", kind: "data" }],
  ["jsonl", { contentType: "application/x-ndjson", kind: "data" }],
  [
    "xlsx",
    {
      contentType: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
      kind: "data",
    },
  ],
  ["icc", { contentType: "application/vnd.iccprofile", signatures: ["icc"], kind: "other" }],
]);

/** The extension of a file name, lower case without its dot; empty when there is none. */
export function extensionOf(name: string): string {
  const dot = name.lastIndexOf(".");
  return dot <= 0 ? "" : name.slice(dot + 1).toLowerCase();
}

/** What kinds of files there are, for storage categories and for the types of media inputs. */
export const ASSET_KINDS = [
  "image",
  "video",
  "audio",
  "document",
  "data",
  "model3d",
  "other",
] as const;
export type AssetKind = (typeof ASSET_KINDS)[number];

export interface AssetType {
  readonly contentType: string;
  readonly kind: AssetKind;
}

/** Every extension that may be stored (docs/contract/assets.md#files), lower case without its dot, and what it stands for. */
export const ASSET_TYPES: ReadonlyMap<string, AssetType> = new Map([
  ["png", { contentType: "image/png", kind: "image" }],
  ["jpg", { contentType: "image/jpeg", kind: "image" }],
  ["jpeg", { contentType: "image/jpeg", kind: "image" }],
  ["webp", { contentType: "image/webp", kind: "image" }],
  ["gif", { contentType: "image/gif", kind: "image" }],
  ["avif", { contentType: "image/avif", kind: "image" }],
  ["svg", { contentType: "image/svg+xml", kind: "image" }],
  ["mp4", { contentType: "video/mp4", kind: "video" }],
  ["mov", { contentType: "video/quicktime", kind: "video" }],
  ["webm", { contentType: "video/webm", kind: "video" }],
  ["mp3", { contentType: "audio/mpeg", kind: "audio" }],
  ["wav", { contentType: "audio/wav", kind: "audio" }],
  ["flac", { contentType: "audio/flac", kind: "audio" }],
  ["ogg", { contentType: "audio/ogg", kind: "audio" }],
  ["opus", { contentType: "audio/opus", kind: "audio" }],
  ["m4a", { contentType: "audio/mp4", kind: "audio" }],
  ["aac", { contentType: "audio/aac", kind: "audio" }],
  ["pdf", { contentType: "application/pdf", kind: "document" }],
  ["txt", { contentType: "text/plain; charset=utf-8", kind: "document" }],
  ["srt", { contentType: "application/x-subrip", kind: "document" }],
  ["vtt", { contentType: "text/vtt", kind: "document" }],
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
  ["glb", { contentType: "model/gltf-binary", kind: "model3d" }],
  ["gltf", { contentType: "model/gltf+json", kind: "model3d" }],
  ["obj", { contentType: "model/obj", kind: "model3d" }],
  ["stl", { contentType: "model/stl", kind: "model3d" }],
  ["usdz", { contentType: "model/vnd.usdz+zip", kind: "model3d" }],
  ["icc", { contentType: "application/vnd.iccprofile", kind: "other" }],
]);

/** The extension of a file name, lower case without its dot; empty when there is none. */
export function extensionOf(name: string): string {
  const dot = name.lastIndexOf(".");
  return dot <= 0 ? "" : name.slice(dot + 1).toLowerCase();
}

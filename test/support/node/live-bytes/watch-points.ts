/**
 * Where the Workers hold most in the middle of a turn, and where a fault makes them hold what goes
 * through them: code as their bundles have it. What a bundler numbers has `\d*` behind its name.
 */
import type { PlantedFault, WatchPoint } from "./live-bytes-watch.ts";

/** A full part of a file that comes in, with the one that leaves. */
export const FILE_PART: WatchPoint = {
  name: "a part of a file",
  before: /await parts\d*\.send\((buffer\d*)\);/,
  every: 4,
};
/** The same of an archive. */
export const ARCHIVE_PART: WatchPoint = {
  name: "a part of an archive",
  before: /await send\d*\((buffer\d*)\);/,
  every: 4,
};
/** The rows that were read, as one text and as bytes. */
export const ROW_CHUNK: WatchPoint = {
  name: "a chunk of rows to be stored",
  before: /const rows\d* = this\.#lines\.length;/,
  every: 9,
};
/** A workbook's strings are read, and its rows come next. */
export const SHARED_STRINGS: WatchPoint = {
  name: "the shared strings",
  before: /const reader\d* = new SheetReader\(/,
};
/** A table has been read to its end. */
export const PROFILE: WatchPoint = {
  name: "a profile",
  before: /return \{\s*schema: "svc\.dataset-profile\/v1"/,
};
/** A bundle's file has been read for its checksum. */
export const DIGEST: WatchPoint = {
  name: "a checksum",
  before: /await writer\d*\?\.close\(\);/,
};
/** A font's tables are judged, and HarfBuzz has drawn its glyphs beside it. */
export const FONT_TRIED: WatchPoint = {
  name: "a font tried",
  before: /shapeLines\d*\(font\d*, facts\d*\);/,
};
/** A drawing's text, and what is left of it. */
export const SVG_CLEANED: WatchPoint = {
  name: "an SVG cleaned",
  before: /return new TextEncoder\(\)\.encode\(cleaner\d*\.finish/,
};

/** A codec's memory and the pixels or the file that it gave. */
export const CODEC_DONE: WatchPoint = {
  name: "a codec done",
  before: /isWhole = this\.#isReused/,
};
/** The SVG renderer's memory and the pixels that it gave. */
export const SVG_DRAWN: WatchPoint = {
  name: "an SVG drawn",
  before: /__wbg_renderedimage_free\(image\d*\);/,
};
/** Pixels, and the file that was made of them. */
export const JPEG_DONE: WatchPoint = { name: "a JPEG made", before: /out\d*\.endBits\(\);/ };
export const PNG_DONE: WatchPoint = {
  name: "a PNG made",
  before: /let at\d* = PNG_SIGNATURE\d*\.length;/,
};

/** Paths that hold the whole of what goes through them. */
export const FAULTS = {
  /** Of an upload, an import, a presigned upload, a fetched file. */
  parts: {
    before: FILE_PART.before,
    holds: "$1.slice()",
  },
  archive: { before: ARCHIVE_PART.before, holds: "$1.slice(0)" },
  /** Of a table in text. */
  text: { before: /yield (bytes\d*)\.subarray\(0, end\d*\);/, holds: "new Uint8Array($1)" },
  /** Of a table that is stored. */
  rows: { before: ROW_CHUNK.before, holds: "[...this.#lines]" },
  /** Of a bundle. */
  digest: {
    before: /const writer\d* = digest\d*\?\.getWriter\(\);/,
    holds: "new Uint8Array(asset.size_bytes)",
  },
  /** Of a picture, once more than it must. */
  pixels: {
    before: /return header\d*\.turns\.reduce\(/,
    holds: "raster.rgba.slice()",
  },
  /** Of a workbook. */
  xml: { before: /scanner\d*\.write\((text\d*)\);/, holds: "$1" },
} satisfies Record<string, PlantedFault>;

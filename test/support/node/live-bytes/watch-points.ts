/**
 * Points where the Workers hold most in the middle of a turn, and faults that make them keep data: source text as in
 * their bundles. Names that a bundler numbers are followed by `\d*`.
 */
import type { PlantedFault, WatchPoint } from "./live-bytes-watch.ts";
import { BEFORE_FAULT } from "./watched-code.ts";

/** A full part of an incoming file, with the one being sent. */
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
/** The rows that were read, as text and as bytes. */
export const ROW_CHUNK: WatchPoint = {
  name: "a chunk of rows to be stored",
  before: /const rows\d* = this\.#lines\.length;/,
  every: 9,
};
/** A workbook's strings are in memory; its rows are next. */
export const SHARED_STRINGS: WatchPoint = {
  name: "the shared strings",
  before: /const reader\d* = new SheetReader\(/,
};
/** A table was read to its end. */
export const PROFILE: WatchPoint = {
  name: "a profile",
  before: /return \{\s*schema: "svc\.dataset-profile\/v1"/,
};
/** A bundle's file was read for its checksum. */
export const DIGEST: WatchPoint = {
  name: "a checksum",
  before: /await writer\d*\?\.close\(\);/,
};
/** A font's tables are checked, and HarfBuzz has drawn its glyphs. */
export const FONT_TRIED: WatchPoint = {
  name: "a font tried",
  before: /shapeLines\d*\(font\d*, metadata\d*\);/,
};
/** A font is read, and HarfBuzz has a copy of it: with FONTS_HELD its glyphs are not drawn before the hold's end. */
export const FONT_HELD: PlantedFault = {
  before: /const endMs\d* = (trial\d*)\.nowMs\(\) \+ TIME_MAX_MS/,
  holds: "0",
  always: `${BEFORE_FAULT}?.hold?.($1)`,
};
/** A drawing's text, and the cleaned text. */
export const SVG_CLEANED: WatchPoint = {
  name: "an SVG cleaned",
  before: /return cleaner\d*\.finish\(\);/,
};

/** The WebP reader's memory, with the file, rows, and the pixels of a lossless or transparent one. */
export const WEBP_READ: WatchPoint = {
  name: "rows of a WebP read",
  before: /const count\d* = codec\d*\.call\(\(\{ rows\d*(?:: rows\d*)? \}\) => rows\d*\(\)\);/,
  every: 12,
};
/** The AVIF reader's memory, with the samples of its frames, and rows that are passed on. */
export const AVIF_READ: WatchPoint = {
  name: "rows of an AVIF read",
  before: /yield codec\d*\.bytes\(to\d*, count\d* \* rowBytes\d*\);/,
  every: 12,
};
/** The SVG renderer's memory, with the drawing's pixels and layers. */
export const SVG_DRAWN: WatchPoint = {
  name: "an SVG drawn",
  before: /unmultiply\d*\(pixels\d*\.rgba\);/,
};
/** The JPEG reader's memory, with all coefficients of a JPEG with several scans, and rows that are passed on. */
export const JPEG_READ: WatchPoint = {
  name: "rows of a JPEG read",
  before: /const stripe\d* = codec\d*\.bytes\(at\d*, count\d* \* rowBytes/,
  every: 12,
};
/** The same of a rotated JPEG. */
export const JPEG_TURNED: WatchPoint = {
  name: "rows of a rotated JPEG read",
  before: /yield codec\d*\.bytes\(at\d*, count\d* \* width\d* \* 4\);/,
  every: 12,
};
/** All rows of an interlaced picture. */
export const PNG_GATHERED: WatchPoint = {
  name: "a PNG's passes read",
  before: /yield out\d*;\s*\}\s*function countOf/,
};
/** Planes in libwebp's memory, and the transparency beside them. */
export const WEBP_FILLED: WatchPoint = {
  name: "a WebP's planes there",
  before: /const packed\d* = alpha\d*\?\.bytes && encodeAlpha/,
};
/** The encoder at its maximum, with its file. */
export const WEBP_MADE: WatchPoint = {
  name: "a WebP made",
  before: /const file\d* = codec\d*\.takeWritten\(\)/,
};
/** Compressed rows, and the part of the file that is not sent yet. */
export const PNG_STRIPE: WatchPoint = {
  name: "rows of a PNG",
  before: /yield chunk\d*\("IDAT", this\.#deflater\.add\(stripe\d*, false\)\);/,
  every: 6,
};
export const PNG_MADE: WatchPoint = {
  name: "a PNG made",
  before: /yield chunk\d*\("IDAT", this\.#deflater\.add\(this\.#filter\.rest\(\), true\)\);/,
};
/** A picture with a palette, as indices. */
export const PNG_PALETTE: WatchPoint = {
  name: "a PNG's palette",
  before: /const deflater\d* = new ZlibPieces\d*\(\(\) => MOST_MATCHES/,
};
/** The end of a JPEG, and the part that is not sent yet. */
export const JPEG_MADE: WatchPoint = {
  name: "a JPEG made",
  before: /this\.#codec\.call\(\(\{ end\d*(?:: end\d*)? \}\) =>/,
};

/** A PDF in memory, before its pages are drawn. */
export const PDF_HELD: WatchPoint = {
  name: "a PDF held",
  before: /const kept\d* = \[\];\s*const drawRest/,
  every: 3,
};
/** A page image: PDFium with the PDF, a bitmap, and the PNG. */
export const PAGE_DRAWN: WatchPoint = {
  name: "a page drawn",
  before: /pdfium\d*\.FPDFBitmap_Destroy\(bitmap\d*\);/,
  every: 7,
};
/** A page with its pictures, which the writer has in pieces. */
export const PAGE_WRITTEN: WatchPoint = {
  name: "a page of a PDF written",
  before: /document\d*\.endPage\(\);/,
  every: 60,
};
/** A PDF that is joined, with its objects and their copies. */
export const PDF_COPIED: WatchPoint = {
  name: "a PDF copied",
  before: /size\d*\.addPages\(refs\d*\.length\);/,
};

/** Points with the largest pictures. */
export const PICTURE_POINTS: readonly WatchPoint[] = [
  WEBP_READ,
  AVIF_READ,
  SVG_DRAWN,
  JPEG_READ,
  JPEG_TURNED,
  PNG_GATHERED,
  WEBP_FILLED,
  WEBP_MADE,
  PNG_STRIPE,
  PNG_MADE,
  PNG_PALETTE,
  JPEG_MADE,
];

/** Paths that process a complete file. */
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
  /** Of a picture. */
  pixels: {
    before: /yield\* encoder\d*\.add\((stripe\d*)\);/,
    holds: "$1.slice()",
  },
  /** A PDFium that is dropped and not let go: the memory of an instance. */
  pdfium: {
    before: /(pdfium\d*)\.setMemoryMax\(memoryMaxBytes\d*\);/,
    holds: "(this.drop(), $1)",
  },
  /** A wasm memory of which the watch does not know when a table has been read. */
  unnoted: {
    before: PROFILE.before,
    holds: "new WebAssembly.Memory.prototype.constructor({ initial: 1 })",
  },
  /** Of a workbook. */
  xml: { before: /scanner\d*\.write\((text\d*)\);/, holds: "$1" },
} satisfies Record<string, PlantedFault>;

/** Points where memory is taken from the isolate's budget, and released; each names the budget. */
export const MEMORY_FAULTS = {
  /** The request for memory: asks for nothing. */
  unasked: {
    before: /if \(!this\.#fits\((ticket\d*)\.bytes\)\) \{\s*this\.#forgetDead/,
    // With `together`: nobody is served until so many wait.
    holds: `$1.bytes = ${BEFORE_FAULT}?.(this, this.#waiting.size) ?? 0`,
    // Not the small one beside it, for claimed tasks.
    always: "this.bytesMax < 2 ** 26 || (globalThis.isolateBudget = this)",
  },
  /** The same where memory is counted without a wait, as for renders. */
  uncounted: {
    before: /holder\d*\.heldBytes \+= bytes\d*;\s*return this\.#lease\(/,
    holds: "0",
    always: "this.bytesMax < 2 ** 26 || (globalThis.isolateBudget = this)",
  },
  /** The release of memory. */
  kept: {
    before: /(isOver\d*) = true;\s*lease\d*\.release\(\);\s*this\.#leases--/,
    holds: "(lease.release = () => undefined)",
  },
} satisfies Record<string, PlantedFault>;

/** A full part of a sound that is written, beside its first part, what is read, and the codecs. */
export const MEDIA_PART: WatchPoint = {
  name: "a part of a sound",
  before: /this\.#stored\.push\(await upload\d*\.uploadPart\(/,
  isAwaited: true,
};
/** A block of a file was read, beside what is decoded and written of those before it. */
export const MEDIA_BLOCK: WatchPoint = {
  name: "a block of a file",
  before: /block\d* = new Uint8Array\(read\d*\.buffer, read\d*\.byteOffset/,
  every: 8,
  isAwaited: true,
};
/** Every part of a sound is kept. */
export const MEDIA_FAULT: PlantedFault = {
  before:
    /const upload\d* = await this\.#open\(\);\s*this\.#stored\.push\(await upload\d*\.uploadPart\(this\.#stored\.length \+ 2, (part\d*)\)/,
  holds: "$1.slice()",
};

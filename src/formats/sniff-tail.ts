import { jpegScanStart } from "./jpeg-problem.ts";
import { latinText } from "./latin-text.ts";
import { pageMarkup } from "./page-markup.ts";

const ZIP_END_BYTES = 22;
/**
 * Number of bytes inspected at a file's end: the range that readers of ZIP archives search for the
 * end record.
 */
export const TAIL_BYTES = ZIP_END_BYTES + 0xffff;

const RAR = "Rar!\u001a\u0007";
const PDF = /%PDF-\d\.\d/;

/** Types that are ZIP archives. */
const ARCHIVES = new Set(["xlsx", "usdz"]);

export interface FileEnds {
  /** At least SNIFF_BYTES of the beginning, or the whole file. */
  readonly head: Uint8Array;
  /** At least TAIL_BYTES of the end, or the whole file. */
  readonly tail: Uint8Array;
  readonly sizeBytes: number;
}

/**
 * Checks whether a file is also of another format, for readers that start at its end or look past
 * the end of its own format. Returns undefined if it is not, else what it is, for a message. Other
 * data after a picture is accepted: cameras append videos and further pictures.
 */
export function sniffTail(extension: string, ends: FileEnds): string | undefined {
  if (ARCHIVES.has(extension)) {
    return undefined;
  }
  const text = latinText(ends.tail);
  if (zipEnd(text, ends, true)) {
    return "The bytes are also those of a ZIP archive";
  }
  const start = OWN_END.get(extension)?.(text, ends);
  if (start === undefined) {
    return undefined;
  }
  const rest = text.slice(start);
  if (rest.trimStart().startsWith("PK\u0003\u0004") || zipEnd(rest, ends, false)) {
    return `A ZIP archive follows the end of the ${extension}`;
  }
  if (rest.includes(RAR)) {
    return `A RAR archive follows the end of the ${extension}`;
  }
  if (extension !== "pdf" && PDF.test(rest)) {
    return `A PDF follows the end of the ${extension}`;
  }
  const page = pageMarkup(rest);
  return page === undefined
    ? undefined
    : `A web page or a script follows the end of the ${extension}: ${page}`;
}

/**
 * Whether the last bytes of a file contain the end record of a ZIP archive that fits before it.
 * `isLast`: only the archive's comment follows, as all readers require.
 */
function zipEnd(text: string, { tail, sizeBytes }: FileEnds, isLast: boolean): boolean {
  const view = new DataView(tail.buffer, tail.byteOffset, tail.byteLength);
  const first = tail.byteLength - text.length;
  for (
    let at = text.lastIndexOf("PK\u0005\u0006");
    at !== -1;
    at = at === 0 ? -1 : text.lastIndexOf("PK\u0005\u0006", at - 1)
  ) {
    const place = first + at;
    if (place + ZIP_END_BYTES > tail.byteLength) {
      continue;
    }
    const left = tail.byteLength - place - ZIP_END_BYTES;
    const comment = view.getUint16(place + 20, true);
    const entries = view.getUint16(place + 10, true);
    const directory = view.getUint32(place + 12, true);
    const before = sizeBytes - tail.byteLength + place;
    // A name takes 46 bytes; an archive of more than 4 GB has another record right before.
    const hasRoom =
      text.slice(Math.max(0, at - 20), at).startsWith("PK\u0006\u0007") ||
      (entries > 0 && directory >= 46 * entries && directory <= before);
    if (hasRoom && (isLast ? comment === left : comment <= left)) {
      return true;
    }
  }
  return false;
}

type OwnEnd = (text: string, ends: FileEnds) => number;

/**
 * By extension: the offset, in the last bytes, after the format's own end; 0 if it cannot be
 * determined.
 */
const OWN_END: ReadonlyMap<string, OwnEnd> = new Map<string, OwnEnd>([
  ["png", pngEnd],
  ["jpg", jpegEnd],
  ["jpeg", jpegEnd],
  ["webp", webpEnd],
  // The end of its blocks can only be found from the beginning. No block looks like a page.
  ["gif", () => 0],
  ["avif", avifEnd],
  ["pdf", pdfEnd],
]);

/** Length, name and checksum without its last byte, which text decoders handle differently. */
const IEND = "\0\0\0\0IEND\u00aeB`";

/** The first one, because the bytes after it might contain another. */
function pngEnd(text: string): number {
  const at = text.indexOf(IEND);
  return at === -1 ? 0 : at + IEND.length + 1;
}

function jpegEnd(text: string, { head, tail, sizeBytes }: FileEnds): number {
  const from = Math.max(0, (jpegScanStart(head) ?? 0) - (sizeBytes - tail.byteLength));
  const at = text.indexOf("\u00ff\u00d9", from);
  return at === -1 ? from : at + 2;
}

function webpEnd(_text: string, { head, tail, sizeBytes }: FileEnds): number {
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  const end = head.byteLength < 12 ? sizeBytes : 8 + view.getUint32(4, true);
  return clamp(end - (sizeBytes - tail.byteLength), tail.byteLength);
}

/** Skips the boxes of the file, as far as they are in the given bytes. */
function avifEnd(_text: string, { head, tail, sizeBytes }: FileEnds): number {
  const tailAt = sizeBytes - tail.byteLength;
  for (let at = 0; ;) {
    const seen = at >= tailAt ? tail.subarray(at - tailAt) : head.subarray(at);
    if (at >= sizeBytes || seen.byteLength < 16) {
      return clamp(at - tailAt, tail.byteLength);
    }
    const view = new DataView(seen.buffer, seen.byteOffset, seen.byteLength);
    const isBox = /^[\w ]{4}$/.test(latinText(seen.subarray(4, 8)));
    const short = view.getUint32(0);
    const left = sizeBytes - at;
    const length = short === 1 ? Number(view.getBigUint64(8)) : short === 0 ? left : short;
    if (!isBox || length < 8 || length > left) {
      return clamp(at - tailAt, tail.byteLength);
    }
    at += length;
  }
}

/** After the last end mark; an earlier one may be followed by an update. */
function pdfEnd(text: string): number {
  const foreign = /%%EOF\s*(?:PK|<[a-z!?])/i.exec(text)?.index;
  if (foreign !== undefined) {
    return foreign + "%%EOF".length;
  }
  const last = text.lastIndexOf("%%EOF");
  if (last !== -1) {
    return last + "%%EOF".length;
  }
  // A file that was cut short has objects up to its end.
  return /\bendobj\b|\bendstream\b|\bstartxref\b/.test(text) ? text.length : 0;
}

function clamp(at: number, max: number): number {
  return Math.max(0, Math.min(at, max));
}

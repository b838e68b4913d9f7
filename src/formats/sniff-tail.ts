import { jpegScanStart } from "./jpeg-problem.ts";
import { latinText } from "./latin-text.ts";
import { pageMarkup } from "./page-markup.ts";

const ZIP_END_BYTES = 22;
/** How much of a file's end is inspected: as much as a reader of ZIP archives looks through, which begins at the end. */
export const TAIL_BYTES = ZIP_END_BYTES + 0xffff;

const RAR = "Rar!\u001a\u0007";
const PDF = /%PDF-\d\.\d/;

/** Types that are ZIP archives themselves. */
const ARCHIVES = new Set(["xlsx", "usdz"]);

export interface FileEnds {
  /** At least SNIFF_BYTES of the beginning, or all there is. */
  readonly head: Uint8Array;
  /** At least TAIL_BYTES of the end, or all there is. */
  readonly tail: Uint8Array;
  readonly sizeBytes: number;
}

/**
 * Whether a file is of another format too, to somebody who reads it from its end or looks past where
 * its own format ends; undefined when it is not, else what it is, for a message. What else follows a
 * picture stays: cameras put films and further pictures there.
 */
export function sniffTail(extension: string, ends: FileEnds): string | undefined {
  if (ARCHIVES.has(extension)) {
    return undefined;
  }
  const text = latinText(ends.tail);
  if (zipEnd(text, ends, true)) {
    return "The bytes are those of a ZIP archive too";
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
 * Whether a text of a file's last bytes has the record that a ZIP archive ends with, of an archive
 * that has room before it. `isLast`: nothing but its comment follows, as all readers want it.
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
    // A name takes 46 bytes; of more than 4 GB another record tells, right before.
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

/** By extension, where in the last bytes the format's own end is passed: at their beginning where it cannot be told. */
const OWN_END: ReadonlyMap<string, OwnEnd> = new Map<string, OwnEnd>([
  ["png", pngEnd],
  ["jpg", jpegEnd],
  ["jpeg", jpegEnd],
  ["webp", webpEnd],
  // Its blocks can be told apart from the beginning alone. None of them looks like a page.
  ["gif", () => 0],
  ["avif", avifEnd],
  ["pdf", pdfEnd],
]);

/** Length, name and checksum, without its last byte: decoders of text are not at one about that. */
const IEND = "\0\0\0\0IEND\u00aeB`";

/** The first, since what follows might hold another. */
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

/** The boxes of the file one after the other, as far as they can be seen. */
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

/** What follows the last of its end marks; an earlier one may be followed by an update. */
function pdfEnd(text: string): number {
  const foreign = /%%EOF\s*(?:PK|<[a-z!?])/i.exec(text)?.index;
  if (foreign !== undefined) {
    return foreign + "%%EOF".length;
  }
  const last = text.lastIndexOf("%%EOF");
  if (last !== -1) {
    return last + "%%EOF".length;
  }
  // One that was cut short has objects to its end.
  return /\bendobj\b|\bendstream\b|\bstartxref\b/.test(text) ? text.length : 0;
}

function clamp(at: number, max: number): number {
  return Math.max(0, Math.min(at, max));
}

import { ASSET_TYPES } from "../contracts/files/asset-types.ts";
import { jpegProblem } from "./jpeg-problem.ts";
import { pdfProblem } from "./pdf-problem.ts";
import { looksLikeText, textProblem } from "./sniff-text.ts";

/** Number of bytes inspected at a file's beginning. */
export const SNIFF_BYTES = 64 * 1024;

/**
 * Returns the usual extension of the type that a file's beginning has; undefined if it has no known type. `detectType` is
 * the detector; in the API Worker it is in another Worker.
 */
export type DetectType = (head: Uint8Array) => Promise<string | undefined>;

/** Detects at most once, for checks of the same beginning. */
export function detectOnce(detect: DetectType): DetectType {
  let found: Promise<string | undefined> | undefined;
  return (head) => (found ??= detect(head));
}

/** By extension: the types that the detector may return. */
const BINARY: ReadonlyMap<string, readonly string[]> = new Map(
  [...ASSET_TYPES].flatMap(([extension, { signatures }]) =>
    signatures === undefined ? [] : [[extension, signatures] as const],
  ),
);

/** The beginning of a file. */
export interface FileHead {
  /** At least SNIFF_BYTES, or the whole file. */
  readonly bytes: Uint8Array;
  /**
   * The file's size; undefined while the end has not arrived. Checks that depend on the size are
   * then skipped.
   */
  readonly sizeBytes: number | undefined;
}

/**
 * Checks whether bytes have the type of an allowed extension. Returns undefined if they do, else
 * what they are, for a message, and throws what `detect` throws. `svg` is not checked here, because cleaning it is the check.
 */
export async function sniffFile(
  extension: string,
  head: FileHead,
  detect: DetectType,
): Promise<string | undefined> {
  const { bytes } = head;
  if (BINARY.has(extension)) {
    return (await binaryProblem(extension, head, detect)) ?? declaredSizeProblem(extension, head);
  }
  switch (extension) {
    case "xlsx":
      return xlsxProblem(bytes, detect);
    case "usdz":
      return usdzProblem(bytes);
    case "stl":
      return stlProblem(head);
    default:
      return textProblem(extension, bytes, bytes.byteLength === head.sizeBytes);
  }
}

async function binaryProblem(
  extension: string,
  head: FileHead,
  detect: DetectType,
): Promise<string | undefined> {
  const { bytes } = head;
  // A tag with a picture may be longer than the inspected bytes, and the detector reads past it.
  if (extension === "mp3" && ascii(bytes, 0, 3) === "ID3") {
    return undefined;
  }
  // The detector knows only RIFF.
  if (extension === "wav" && isLongWav(bytes)) {
    return undefined;
  }
  const found = await detect(bytes);
  if (found !== undefined && BINARY.get(extension)?.includes(found) === true) {
    return hollowProblem(extension, head);
  }
  if (
    extension === "avif" &&
    (found === "heif" || found === "heic") &&
    ftypBrands(bytes).includes("avif")
  ) {
    return undefined;
  }
  return found === undefined
    ? isText(bytes)
      ? "The bytes are text"
      : "The bytes have no known type, or were cut short"
    : `The bytes are those of a .${found} file`;
}

/** Whether bytes begin a WAV of more than 4 GiB, whose sizes have 64 bits (EBU Tech 3306, ITU-R BS.2088). */
function isLongWav(bytes: Uint8Array): boolean {
  const mark = ascii(bytes, 0, 4);
  return (mark === "RF64" || mark === "BW64") && ascii(bytes, 8, 16) === "WAVEds64";
}

/** Problem of a file that begins like its type but is not valid. */
function hollowProblem(extension: string, { bytes, sizeBytes }: FileHead): string | undefined {
  switch (extension) {
    case "gif":
      return gifProblem(bytes);
    case "jpg":
    case "jpeg":
      return jpegProblem(bytes, bytes.byteLength === sizeBytes);
    case "pdf":
      return pdfProblem(bytes);
    default:
      return undefined;
  }
}

/**
 * Whether the bytes are text to any program that opens the file: no binary format begins like this
 * by chance.
 */
function isText(bytes: Uint8Array): boolean {
  try {
    // A character that is cut at the end of the inspected bytes is not an error.
    new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes, { stream: true });
    return looksLikeText(bytes);
  } catch {
    return false;
  }
}

/** A GIF's first block follows its color table; text that begins with `GIF89a` has none there. */
function gifProblem(bytes: Uint8Array): string | undefined {
  const flags = bytes[10] ?? 0;
  const colours = (flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 0x07) + 1);
  const block = bytes[13 + colours];
  return block === 0x21 || block === 0x2c || block === 0x3b
    ? undefined
    : "The bytes begin like a GIF but contain no picture";
}

/** Types whose header contains the file's length; a larger length means that the file was cut. */
function declaredSizeProblem(
  extension: string,
  { bytes, sizeBytes }: FileHead,
): string | undefined {
  const view = viewOf(bytes);
  const declared =
    extension === "glb" && bytes.byteLength >= 12
      ? view.getUint32(8, true)
      : extension === "icc" && bytes.byteLength >= 4
        ? view.getUint32(0)
        : 0;
  return sizeBytes !== undefined && declared > sizeBytes
    ? `The header states ${declared} bytes but the file has ${sizeBytes}: it was cut short`
    : undefined;
}

/** Names of the first entries of a workbook, for all programs that write them. */
const WORKBOOK_ENTRY = /^(?:\[Content_Types\]\.xml|_rels\/|xl\/|docProps\/|customXml\/)/;
const OTHER_OFFICE = new Set(["docx", "pptx", "odt", "ods", "odp", "epub", "jar", "apk"]);

async function xlsxProblem(bytes: Uint8Array, detect: DetectType): Promise<string | undefined> {
  const entry = firstZipEntry(bytes);
  if (entry === undefined) {
    return "The bytes are not those of an .xlsx workbook, which is a ZIP archive";
  }
  const found = await detect(bytes);
  if (!WORKBOOK_ENTRY.test(entry.name) || (found !== undefined && OTHER_OFFICE.has(found))) {
    return `The bytes are a ZIP archive without a workbook${found === undefined || found === "zip" ? "" : `, but with a .${found}`}`;
  }
  return undefined;
}

function usdzProblem(bytes: Uint8Array): string | undefined {
  const entry = firstZipEntry(bytes);
  return entry !== undefined && entry.method === 0 && /\.usd[ac]?$/i.test(entry.name)
    ? undefined
    : "The bytes are not those of a .usdz package: a ZIP archive, stored, whose first entry is the scene";
}

function firstZipEntry(bytes: Uint8Array): { name: string; method: number } | undefined {
  if (bytes.byteLength < 30 || ascii(bytes, 0, 4) !== "PK\u0003\u0004") {
    return undefined;
  }
  const view = viewOf(bytes);
  return { method: view.getUint16(8, true), name: ascii(bytes, 30, 30 + view.getUint16(26, true)) };
}

const STL_HEADER_BYTES = 84;
const STL_TRIANGLE_BYTES = 50;

function stlProblem({ bytes, sizeBytes }: FileHead): string | undefined {
  if (bytes.byteLength >= STL_HEADER_BYTES) {
    const triangles = viewOf(bytes).getUint32(80, true);
    const declared = STL_HEADER_BYTES + STL_TRIANGLE_BYTES * triangles;
    if (
      triangles > 0 &&
      (sizeBytes === undefined ? !looksLikeText(bytes) : declared === sizeBytes)
    ) {
      return undefined;
    }
  }
  const text = ascii(bytes, 0, 4096);
  return looksLikeText(bytes) && /^\s*solid\b[^\n]*\n\s*(?:facet\s|endsolid\b)/.test(text)
    ? undefined
    : "The bytes are neither a binary .stl of the length that its header says nor one in text";
}

function ftypBrands(bytes: Uint8Array): string[] {
  if (bytes.byteLength < 16 || ascii(bytes, 4, 8) !== "ftyp") {
    return [];
  }
  const end = Math.min(viewOf(bytes).getUint32(0), bytes.byteLength, 256);
  const brands = [ascii(bytes, 8, 12)];
  for (let at = 16; at + 4 <= end; at += 4) {
    brands.push(ascii(bytes, at, at + 4));
  }
  return brands;
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function ascii(bytes: Uint8Array, from: number, to: number): string {
  let text = "";
  for (const byte of bytes.subarray(from, to)) {
    text += String.fromCharCode(byte);
  }
  return text;
}

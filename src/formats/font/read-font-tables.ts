import { FontError } from "./font-error.ts";
import { FontTable } from "./font-table.ts";
import { invalidFont } from "./invalid-font.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";

export interface FontTables {
  readonly format: "ttf" | "otf";
  /** Throws FontError if the font does not have the table. */
  readonly table: (tag: string) => FontTable;
}

const TABLES_MAX = LIMITS.font_tables.value;

const HEADER_BYTES = 12;
const RECORD_BYTES = 16;

const FORMATS: ReadonlyMap<number, "ttf" | "otf"> = new Map([
  [0x0001_0000, "ttf"],
  [0x7472_7565, "ttf"], // "true", written by Apple's tools
  [0x4f54_544f, "otf"], // "OTTO"
]);

const WOFF = 0x774f_4646;
const WOFF2 = 0x774f_4632;
const COLLECTION = 0x7474_6366;

/** Tables that make a font variable, or are useful in variable fonts only. */
const VARIABLE = ["fvar", "gvar", "CFF2", "avar", "cvar", "HVAR", "VVAR", "MVAR", "VARC"];

const REQUIRED = ["head", "hhea", "maxp", "hmtx", "cmap", "name", "OS/2"];

/**
 * Tables that are used for drawing and measuring. A wrong checksum of one of them means damage.
 * Other tables (names and flags, `head` first) are often edited by tools that do not update the
 * checksum; these fonts are in wide use.
 */
const SUMMED = new Set(["glyf", "loca", "CFF ", "cmap", "hmtx", "maxp", "hhea"]);

/**
 * Splits a font file into its tables (OpenType 1.9, "Organization of an OpenType Font"). Throws
 * FontError if the format is not accepted, or the directory does not match the file.
 */
export function readFontTables(bytes: Uint8Array): FontTables {
  const file = new FontTable("directory", bytes);
  const format = readFormat(file);
  const count = file.u16(4);
  if (count === 0 || count > TABLES_MAX) {
    throw invalidFont(`The font announces ${count} tables; 1 to ${TABLES_MAX} are allowed`);
  }
  file.need(0, HEADER_BYTES + count * RECORD_BYTES, `the list of ${count} tables`);
  const spans: { tag: string; start: number; end: number; sum: number }[] = [];
  const seen = new Set<string>();
  for (let i = 0; i < count; i++) {
    const at = HEADER_BYTES + i * RECORD_BYTES;
    const tag = readTag(file, at);
    const start = file.u32(at + 8);
    const end = start + file.u32(at + 12);
    if (seen.has(tag)) {
      throw invalidFont(`The font has two tables "${tag}"`);
    }
    seen.add(tag);
    if (end > bytes.byteLength) {
      throw invalidFont(
        `The table "${tag}" would end at byte ${end} of a file of ${bytes.byteLength}: the file is cut off or damaged`,
      );
    }
    if (start < HEADER_BYTES + count * RECORD_BYTES) {
      throw invalidFont(`The table "${tag}" begins at byte ${start}, inside the list of tables`);
    }
    if (start % 4 !== 0) {
      throw invalidFont(`The table "${tag}" begins at byte ${start}, which is not a multiple of 4`);
    }
    spans.push({ tag, start, end, sum: file.u32(at + 4) });
  }
  refuseOverlaps(spans);
  refuseVariable(seen);
  const tables = new Map<string, FontTable>();
  for (const { tag, start, end, sum } of spans) {
    const table = new FontTable(tag, bytes.subarray(start, end));
    if (SUMMED.has(tag) && checksum(table.bytes) !== sum) {
      throw invalidFont(`The table "${tag}" does not have the checksum that the font states`);
    }
    tables.set(tag, table);
  }
  requireTables(tables, format);
  const table = (tag: string): FontTable => {
    const found = tables.get(tag);
    if (found === undefined) {
      throw invalidFont(`The font has no table ${tag.trim()}`);
    }
    return found;
  };
  return { format, table };
}

function readFormat(file: FontTable): "ttf" | "otf" {
  if (file.length < HEADER_BYTES) {
    throw invalidFont(`The file has ${file.length} bytes, too few for a font`);
  }
  const magic = file.u32(0);
  if (magic === WOFF || magic === WOFF2 || isEmbeddedOpenType(file)) {
    const name = magic === WOFF ? "WOFF" : magic === WOFF2 ? "WOFF2" : "EOT";
    throw new FontError(
      "FONT_WEB_FORMAT_UNSUPPORTED",
      `The file is ${name}, a format for web pages. Upload the TTF or OTF file that it was made from.`,
    );
  }
  if (magic === COLLECTION) {
    throw new FontError(
      "FONT_COLLECTION_UNSUPPORTED",
      "The file is a collection of several fonts (TTC or OTC). Split it and upload one TTF or OTF file for each variant.",
    );
  }
  const format = FORMATS.get(magic);
  if (format === undefined) {
    throw invalidFont("The file does not begin like a TTF or OTF font");
  }
  return format;
}

/** EOT begins with its sizes; its version and magic number follow, little-endian. */
function isEmbeddedOpenType(file: FontTable): boolean {
  return (
    file.length >= 36 &&
    file.u16(34) === 0x4c50 &&
    [0x0000_0100, 0x0100_0200, 0x0200_0200].includes(file.u32(8))
  );
}

function readTag(file: FontTable, at: number): string {
  let tag = "";
  for (let i = 0; i < 4; i++) {
    const code = file.u8(at + i);
    if (code < 0x20 || code > 0x7e) {
      throw invalidFont("The list of tables has a name that is not printable ASCII");
    }
    tag += String.fromCharCode(code);
  }
  return tag;
}

function refuseOverlaps(spans: readonly { tag: string; start: number; end: number }[]): void {
  const sorted = spans.filter(({ start, end }) => end > start);
  sorted.sort((a, b) => a.start - b.start);
  for (const [i, span] of sorted.entries()) {
    const next = sorted[i + 1];
    if (next !== undefined && next.start < span.end) {
      throw invalidFont(`The tables "${span.tag}" and "${next.tag}" overlap`);
    }
  }
}

function refuseVariable(tags: ReadonlySet<string>): void {
  const found = VARIABLE.find((tag) => tags.has(tag));
  if (found !== undefined) {
    throw new FontError(
      "FONT_VARIABLE_UNSUPPORTED",
      `The font is variable (it has the table "${found}"). Upload its static files, one for each weight and style.`,
    );
  }
}

function requireTables(tables: ReadonlyMap<string, FontTable>, format: "ttf" | "otf"): void {
  const outlines = format === "otf" ? ["CFF "] : ["glyf", "loca"];
  const missing = [...REQUIRED, ...outlines].filter((tag) => !tables.has(tag));
  if (missing.length > 0) {
    throw invalidFont(
      `The font lacks tables that every ${format.toUpperCase()} font with outlines has: ${missing.map((tag) => tag.trim()).join(", ")}`,
    );
  }
  if (tables.has("CFF ") && tables.has("glyf")) {
    throw invalidFont("The font has outlines of both kinds, glyf and CFF");
  }
}

/** Sum of the big-endian 32-bit words; the last one is padded with zeros. */
function checksum(bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const whole = bytes.byteLength - (bytes.byteLength % 4);
  let sum = 0;
  for (let at = 0; at < whole; at += 4) {
    sum = (sum + view.getUint32(at)) | 0;
  }
  let last = 0;
  for (let i = 0; i < 4; i++) {
    last = last * 256 + (bytes[whole + i] ?? 0);
  }
  return (sum + last) >>> 0;
}

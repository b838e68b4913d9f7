import type { FontErrorCode } from "../../../src/formats/font/font-error.ts";
import { HOSTILE_CFF } from "./hostile-cff.ts";
import { HOSTILE_GLYPHS } from "./hostile-glyphs.ts";
import { FontSurgery } from "./font-surgery.ts";
import { openType, realFont, trueType } from "./real-fonts.ts";
import { words } from "./words.ts";

export interface HostileFont {
  readonly name: string;
  readonly code: FontErrorCode;
  /** Part of the message that names the fault. */
  readonly says: string;
  readonly make: () => Uint8Array;
}

const entry = (
  name: string,
  says: string,
  make: () => Uint8Array,
  code: FontErrorCode = "FONT_INVALID",
): HostileFont => ({ name, code, says, make });

const surgery = () => new FontSurgery(trueType());
const cut = (name: string, says: string, operate: (font: FontSurgery) => FontSurgery) =>
  entry(name, says, () => operate(surgery()).build());

/** A change to the finished file. */
const patched = (
  name: string,
  says: string,
  patch: (view: DataView, font: Uint8Array) => void,
  code?: FontErrorCode,
) =>
  entry(
    name,
    says,
    () => {
      const font = trueType().slice();
      patch(new DataView(font.buffer), font);
      return font;
    },
    code,
  );

const text = (value: string) => new TextEncoder().encode(value.padEnd(64, "\0"));

/** Reproducible bytes without a pattern. */
export function noise(length: number, seed: number): Uint8Array<ArrayBuffer> {
  let state = seed;
  return Uint8Array.from({ length }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state >>> 24;
  });
}

function eot(): Uint8Array {
  const file = new Uint8Array(200);
  const view = new DataView(file.buffer);
  view.setUint32(0, 200, true);
  view.setUint32(8, 0x0002_0001, true);
  view.setUint16(34, 0x504c, true);
  return file;
}

/** Two fonts behind a collection's header. */
function collection(): Uint8Array {
  const header = words(0x7474, 0x6366, 1, 0, 0, 2, 0, 20, 0, 20);
  return Uint8Array.from([...header, ...trueType()]);
}

const WEB = "FONT_WEB_FORMAT_UNSUPPORTED";
const VARIABLE = "FONT_VARIABLE_UNSUPPORTED";
const COLLECTION = "FONT_COLLECTION_UNSUPPORTED";

const FILES: readonly HostileFont[] = [
  entry("no bytes", "0 bytes", () => new Uint8Array(0)),
  entry("one byte", "1 bytes", () => new Uint8Array(1)),
  entry("eleven bytes of a font", "11 bytes", () => trueType().slice(0, 11)),
  entry("its header only", "the list of", () => trueType().slice(0, 12)),
  entry("a thousand zeros", "does not begin", () => new Uint8Array(1_000)),
  ...[1, 2, 3, 4].map((seed) =>
    entry(`noise ${seed}`, "does not begin", () => noise(10_000, seed)),
  ),
  entry("noise behind a font's first bytes", "tables", () => {
    const bytes = noise(10_000, 5);
    bytes.set([0, 1, 0, 0]);
    return bytes;
  }),
  entry("text", "does not begin", () => text("Hello, this is not a font at all.")),
  entry("a PDF", "does not begin", () => text("%PDF-1.7\n")),
  entry("a ZIP", "does not begin", () => text("PK\u0003\u0004")),
  entry("a PNG", "does not begin", () => Uint8Array.of(0x89, 0x50, 0x4e, 0x47, ...noise(60, 6))),
  entry("a Type 1 font", "does not begin", () => text("%!PS-AdobeFont-1.0: X")),
  entry("a Type 1 font of Apple's", "does not begin", () => text("typ1")),
  entry("an EOT", "EOT", eot, WEB),
  entry(
    "a real WOFF",
    "WOFF",
    () => realFont("source-code-pro/WOFF/OTF/SourceCodePro-Regular.otf.woff"),
    WEB,
  ),
  entry(
    "a real WOFF2",
    "WOFF2",
    () => realFont("source-code-pro/WOFF2/TTF/SourceCodePro-Regular.ttf.woff2"),
    WEB,
  ),
  entry("four bytes of WOFF2 and no more", "WOFF2", () => text("wOF2").slice(0, 12), WEB),
  entry("a collection", "collection", collection, COLLECTION),
  entry("a collection cut off", "collection", () => collection().slice(0, 12), COLLECTION),
  entry(
    "a real variable TTF",
    "fvar",
    () => realFont("source-code-pro/VF/SourceCodeVF-Upright.ttf"),
    VARIABLE,
  ),
  entry(
    "a real variable OTF",
    "fvar",
    () => realFont("source-code-pro/VF/SourceCodeVF-Upright.otf"),
    VARIABLE,
  ),
  ...["gvar", "CFF2", "avar", "cvar", "HVAR", "VVAR", "MVAR", "VARC"].map((tag) =>
    entry(
      `a static font with ${tag}`,
      tag,
      () => surgery().set(tag, new Uint8Array(8)).build(),
      VARIABLE,
    ),
  ),
];

const DIRECTORY: readonly HostileFont[] = [
  patched("no tables", "0 tables", (view) => view.setUint16(4, 0)),
  patched("65 tables", "65 tables", (view) => view.setUint16(4, 65)),
  patched("65,535 tables", "65535 tables", (view) => view.setUint16(4, 0xffff)),
  patched("a table of 4 GB", "cut off", (view) => view.setUint32(12 + 12, 0xffff_ffff)),
  patched("a table whose end wraps around", "cut off", (view) => {
    view.setUint32(12 + 8, 0xffff_fff0);
    view.setUint32(12 + 12, 0x100);
  }),
  patched("a table beyond the file", "cut off", (view, { byteLength }) =>
    view.setUint32(12 + 8, byteLength + 4),
  ),
  patched("a table on the directory", "inside the list", (view) => view.setUint32(12 + 8, 0)),
  patched("a table that begins at an odd byte", "multiple of 4", (view) =>
    view.setUint32(12 + 8, view.getUint32(12 + 8) + 1),
  ),
  patched("a table on another", "overlap", (view) =>
    view.setUint32(12 + 8, view.getUint32(28 + 8)),
  ),
  patched("a table that runs into the next", "overlap", (view) =>
    view.setUint32(12 + 12, view.getUint32(12 + 12) + 8),
  ),
  patched("two tables of one name", "two tables", (view) => view.setUint32(12, view.getUint32(28))),
  patched("a name with control characters", "printable", (view) => view.setUint32(12, 0x0102_0304)),
  ...["glyf", "loca", "cmap", "hmtx", "maxp", "hhea"].map((tag) =>
    entry(`a flipped bit in ${tag}`, "checksum", () => {
      const font = surgery();
      const sound = font.build();
      const table = font.table(tag);
      table[0] = (table[0] ?? 0) ^ 1;
      const at = directoryPlace(sound, tag);
      sound[at] = (sound[at] ?? 0) ^ 1;
      return sound;
    }),
  ),
  ...["head", "hhea", "maxp", "hmtx", "cmap", "name", "OS/2", "glyf", "loca"].map((tag) =>
    cut(`no ${tag}`, `lacks tables that every TTF font with outlines has: ${tag}`, (font) =>
      font.remove(tag),
    ),
  ),
  entry("an OTF without CFF", "lacks tables that every OTF", () =>
    new FontSurgery(openType()).remove("CFF ").build(),
  ),
  cut("CFF announced and glyf there", "CFF", (font) => {
    font.magic = 0x4f54_544f;
    return font;
  }),
  cut("outlines of both kinds", "both kinds", (font) =>
    font.set("CFF ", new FontSurgery(openType()).table("CFF ")),
  ),
  ...[...surgery().tables.keys()].flatMap((tag) => [
    entry(`cut off where ${tag.trim()} begins`, "", () =>
      trueType().slice(0, directoryPlace(trueType(), tag)),
    ),
    entry(`cut off inside of ${tag.trim()}`, "", () =>
      trueType().slice(0, directoryPlace(trueType(), tag) + 5),
    ),
  ]),
];

const METRICS: readonly HostileFont[] = [
  cut("a short head", "The table head has 53 bytes", (font) => font.cut("head", 53)),
  cut("head without its magic number", "magic", (font) => font.poke("head", 12, 0)),
  ...[0, 15, 16_385, 65_535].map((units) =>
    cut(`${units} units per em`, `${units} units per em`, (font) => font.poke("head", 18, units)),
  ),
  cut("a bounding box inside out", "is inverted", (font) => font.poke("head", 36, 100, 0, 99, 0)),
  cut("offsets of a third kind", "glyph format", (font) => font.poke("head", 50, 2)),
  cut("glyphs of a second kind", "glyph format", (font) => font.poke("head", 52, 1)),
  cut("a short maxp", "The table maxp has 5 bytes", (font) => font.cut("maxp", 5)),
  cut("maxp of CFF with glyf", "maxp", (font) => font.set("maxp", words(0, 0x5000, 10))),
  cut("no glyphs", "no glyphs", (font) => font.poke("maxp", 4, 0)),
  cut("65,535 glyphs in a font of 900", "65535 glyphs", (font) => font.poke("maxp", 4, 0xffff)),
  cut("one glyph more than there are", "glyphs", (font) =>
    font.poke("maxp", 4, font.view("maxp").getUint16(4) + 1),
  ),
  cut("a short hhea", "The table hhea has 35 bytes", (font) => font.cut("hhea", 35)),
  cut("hhea of another version", "hhea", (font) => font.poke("hhea", 0, 2)),
  cut("no advance widths", "0 advance widths", (font) => font.poke("hhea", 34, 0)),
  cut("more advance widths than glyphs", "65535 advance widths", (font) =>
    font.poke("hhea", 34, 0xffff),
  ),
  cut("a short hmtx", "hmtx", (font) => font.cut("hmtx", 100)),
];

const format4 = (...body: number[]) => words(4, 6 + body.length * 2, 0, ...body);
const maps = (name: string, says: string, ...all: (readonly [number, number, Uint8Array])[]) =>
  cut(name, says, (font) => font.cmap(all));
const groups = (format: number, ...body: number[]) =>
  words(format, 0, 0, 16 + body.length * 2, 0, 0, 0, body.length / 6, ...body);

const MAPS: readonly HostileFont[] = [
  cut("cmap of another version", "version 1", (font) => font.poke("cmap", 0, 1)),
  cut("no character maps", "0 character maps", (font) => font.poke("cmap", 2, 0)),
  cut("65 character maps", "65 character maps", (font) => font.poke("cmap", 2, 65)),
  cut("a map beyond the table", "cmap", (font) => font.poke("cmap", 8, 0x7fff)),
  cut("an empty cmap", "cmap", (font) => font.cut("cmap", 0)),
  maps("a map of format 99", "format 99", [3, 1, words(99, 8, 0, 0)]),
  maps("a map for Macintosh only", "no Unicode", [1, 0, words(6, 12, 0, 65, 1, 1)]),
  maps("a map that is all missing glyphs", "No character", [3, 1, words(6, 12, 0, 65, 1, 0)]),
  maps("segments of odd number", "segments", [3, 1, format4(3, 0, 0, 0, 0xffff, 0, 0xffff, 1, 0)]),
  maps("no segments", "segments", [3, 1, format4(0, 0, 0, 0)]),
  maps("32,767 segments in 20 bytes", "segments", [3, 1, format4(0xfffe, 0, 0, 0)]),
  maps("segments out of order", "not in order", [
    3,
    1,
    format4(4, 0, 0, 0, 0x50, 0x45, 0, 0x41, 0x43, 0, 0, 0, 0),
  ]),
  maps("a segment that ends before it begins", "not in order", [
    3,
    1,
    format4(2, 0, 0, 0, 0x41, 0, 0x42, 0, 0),
  ]),
  maps("a segment to glyphs that are not there", "is mapped to glyph", [
    3,
    1,
    format4(4, 0, 0, 0, 0x41, 0xffff, 0, 0x41, 0xffff, 0x7000, 1, 0, 0),
  ]),
  maps("a segment that reads beyond the table", "cmap", [
    3,
    1,
    format4(4, 0, 0, 0, 0x41, 0xffff, 0, 0x41, 0xffff, 0, 1, 0xfff0, 0),
  ]),
  maps("a trimmed map longer than itself", "65535 characters", [
    3,
    1,
    words(6, 12, 0, 65, 0xffff, 1),
  ]),
  maps("an array of four billion characters", "characters", [
    3,
    10,
    words(10, 0, 0, 22, 0, 0, 0, 0, 0xffff, 0xffff, 1),
  ]),
  maps("4,294,967,295 groups", "groups", [3, 10, words(12, 0, 0, 16, 0, 0, 0xffff, 0xffff)]),
  maps("a group of four billion characters", "not in order, or are outside Unicode", [
    3,
    10,
    groups(12, 0, 0, 0xffff, 0xffff, 0, 1),
  ]),
  maps("all of Unicode on one font", "is mapped to glyph", [
    3,
    10,
    groups(12, 0, 0, 0x10, 0xffff, 0, 1),
  ]),
  maps("a group that ends before it begins", "not in order", [
    3,
    10,
    groups(12, 0, 66, 0, 65, 0, 1),
  ]),
  maps("groups overlap", "not in order", [
    3,
    10,
    groups(12, 0, 65, 0, 70, 0, 1, 0, 70, 0, 75, 0, 1),
  ]),
  maps("a group to glyphs that are not there", "is mapped to glyph", [
    3,
    10,
    groups(13, 0, 65, 0, 66, 1, 0),
  ]),
  maps("a map that says it is longer than the table", "cmap", [
    3,
    10,
    words(12, 0, 0x7fff, 0, 0, 0, 0, 0),
  ]),
  maps("variation selectors beyond the table", "cmap", [0, 5, words(14, 0x7fff, 0, 0, 0)]),
];

const named = (name: string, says: string, ...records: Parameters<FontSurgery["names"]>[0]) =>
  cut(name, says, (font) => font.names(records));

const NAMES: readonly HostileFont[] = [
  cut("name of another version", "version 2", (font) => font.poke("name", 0, 2)),
  cut("65,535 names", "65535 names", (font) => font.poke("name", 2, 0xffff)),
  cut("more names than fit", "names", (font) => font.poke("name", 2, 9_999)),
  cut("a name beyond the table", "a name would end", (font) => font.poke("name", 6 + 8, 0xffff)),
  cut("names from beyond the table", "a name would end", (font) => font.poke("name", 4, 0xfff0)),
  named("no names", "does not name its family"),
  named("a family of nothing but control characters", "does not name its family", [
    3,
    1,
    0x409,
    1,
    "\u0000\u0001\u202e\u200b",
  ]),
  named("a family of blanks", "does not name its family", [3, 1, 0x409, 1, " \t\n "]),
  named("a name of 201 characters", "201 characters", [3, 1, 0x409, 1, "x".repeat(201)]),
  named("a family in a script that is not read", "does not name its family", [1, 1, 11, 1, "x"]),
  cut("a short OS/2", "OS/2 has 67 bytes", (font) => font.cut("OS/2", 67)),
  cut("a license that forbids embedding", "0x0002", (font) => font.poke("OS/2", 8, 2)),
  cut("a license that forbids embedding and subsetting", "0x0002", (font) =>
    font.poke("OS/2", 8, 0x102),
  ),
  cut("a license for bitmaps only", "0x0200", (font) => font.poke("OS/2", 8, 0x208)),
];

function directoryPlace(font: Uint8Array<ArrayBuffer>, tag: string): number {
  const view = new DataView(font.buffer);
  for (let i = 0; i < view.getUint16(4); i++) {
    const at = 12 + i * 16;
    if (String.fromCharCode(...font.subarray(at, at + 4)) === tag) {
      return view.getUint32(at + 8);
    }
  }
  throw new Error(`The font has no table ${tag}.`);
}

/** Files that must be rejected, each for its own reason. */
export const HOSTILE_FONTS: readonly HostileFont[] = [
  ...FILES,
  ...DIRECTORY,
  ...METRICS,
  ...MAPS,
  ...NAMES,
  ...HOSTILE_GLYPHS.map(({ name, says, glyphs, loca }) =>
    entry(name, says, () => {
      const font = surgery().glyphs(glyphs());
      loca?.(font);
      return font.build();
    }),
  ),
  ...HOSTILE_CFF.map(({ name, says, cff, glyphCount }) =>
    entry(name, says, () =>
      surgery()
        .cff(cff(), glyphCount ?? 2)
        .build(),
    ),
  ),
];

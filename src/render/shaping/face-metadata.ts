/** What the tables of a font say about it. Lengths are in font units, y goes up. */
export interface FaceMetadata {
  readonly postScriptName: string;
  readonly unitsPerEm: number;
  /** Of `hhea`, or of the typographic metrics of `OS/2` if bit 7 of its `fsSelection` is set. */
  readonly ascent: number;
  readonly descent: number;
  readonly underlinePosition: number;
  readonly underlineThickness: number;
  readonly strikeoutPosition: number;
  readonly strikeoutThickness: number;
  readonly capHeight: number;
  /** `[xMin, yMin, xMax, yMax]` of `head`. */
  readonly bounds: readonly [number, number, number, number];
  /** In degrees, counterclockwise. */
  readonly italicAngle: number;
  readonly weight: number;
  readonly isSerif: boolean;
  readonly isFixedPitch: boolean;
  /** Whether the outlines are in `CFF `, not in `glyf`. */
  readonly isCff: boolean;
}

/** `fsSelection`: the typographic metrics are those of lines. */
const USE_TYPO_METRICS = 1 << 7;
const POSTSCRIPT_NAME = 6;
const WINDOWS = 3;

/**
 * Reads the tables of a font file that was checked when it was uploaded. Values of tables that are missing or short are 0,
 * and those that cannot be 0 are derived from the others.
 */
export function readFaceMetadata(file: Uint8Array): FaceMetadata {
  const tables = tablesOf(file);
  const { head, hhea, post, os2 } = {
    head: tables.get("head") ?? EMPTY,
    hhea: tables.get("hhea") ?? EMPTY,
    post: tables.get("post") ?? EMPTY,
    os2: tables.get("OS/2") ?? EMPTY,
  };
  const unitsPerEm = u16(head, 18) || 1_000;
  const isTypographic = (u16(os2, 62) & USE_TYPO_METRICS) !== 0;
  const [ascent, descent] = isTypographic
    ? [i16(os2, 68), -i16(os2, 70)]
    : [i16(hhea, 4), -i16(hhea, 6)];
  const thickness = i16(post, 10) || unitsPerEm / 20;
  // PANOSE: family kind 2 is Latin text; serif styles 2 to 10 have serifs.
  const [kind, serifStyle] = [os2.getSafe(32), os2.getSafe(33)];
  return {
    postScriptName: postScriptNameOf(tables.get("name") ?? EMPTY) || "Font",
    unitsPerEm,
    ascent,
    descent,
    // The table has the top of the line.
    underlinePosition: (i16(post, 8) || -unitsPerEm / 10) - thickness / 2,
    underlineThickness: thickness,
    strikeoutPosition: strikeoutOf(os2) || ascent * 0.3,
    strikeoutThickness: i16(os2, 26) || thickness,
    capHeight: (u16(os2, 0) >= 2 ? i16(os2, 88) : 0) || ascent * 0.7,
    bounds: [i16(head, 36), i16(head, 38), i16(head, 40), i16(head, 42)],
    italicAngle: i16(post, 4) + u16(post, 6) / 65_536,
    weight: u16(os2, 4) || 400,
    isSerif: kind === 2 && serifStyle >= 2 && serifStyle <= 10,
    isFixedPitch: u16(post, 12) + u16(post, 14) !== 0,
    isCff: tables.has("CFF "),
  };
}

/** `yStrikeoutPosition` is the top of the line. */
function strikeoutOf(os2: Table): number {
  const position = i16(os2, 28);
  return position === 0 ? 0 : position - i16(os2, 26) / 2;
}

/** A table whose bytes beyond its end are 0. */
class Table {
  readonly #view: DataView | undefined;

  constructor(view: DataView | undefined) {
    this.#view = view;
  }

  getSafe(at: number): number {
    return this.#view !== undefined && at < this.#view.byteLength ? this.#view.getUint8(at) : 0;
  }
}

const EMPTY = new Table(undefined);

function u16(table: Table, at: number): number {
  return table.getSafe(at) * 256 + table.getSafe(at + 1);
}

function i16(table: Table, at: number): number {
  return (u16(table, at) << 16) >> 16;
}

function tablesOf(file: Uint8Array): ReadonlyMap<string, Table> {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const count = file.byteLength < 12 ? 0 : view.getUint16(4);
  const tables = new Map<string, Table>();
  for (let i = 0, at = 12; i < count && at + 16 <= file.byteLength; i++, at += 16) {
    const tag = String.fromCharCode(...file.subarray(at, at + 4));
    const [from, length] = [view.getUint32(at + 8), view.getUint32(at + 12)];
    if (from + length <= file.byteLength) {
      tables.set(tag, new Table(new DataView(file.buffer, file.byteOffset + from, length)));
    }
  }
  return tables;
}

/** Entry 6 of the `name` table, only the characters that a PostScript name may have. */
function postScriptNameOf(name: Table): string {
  const [count, strings] = [u16(name, 2), u16(name, 4)];
  for (let i = 0; i < count; i++) {
    const at = 6 + i * 12;
    if (u16(name, at + 6) !== POSTSCRIPT_NAME) {
      continue;
    }
    const isWide = u16(name, at) === WINDOWS || u16(name, at) === 0;
    const [length, from] = [u16(name, at + 8), strings + u16(name, at + 10)];
    const bytes = Array.from({ length: Math.min(length, 256) }, (_, n) => name.getSafe(from + n));
    const text = String.fromCharCode(...bytes.filter((_, n) => !isWide || n % 2 === 1));
    const kept = text.replaceAll(/[^!-~]|[[\](){}<>/%]/g, "").slice(0, 63);
    if (kept !== "") {
      return kept;
    }
  }
  return "";
}

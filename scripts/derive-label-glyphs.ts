/**
 * Writes src/images/code/label-glyphs.ts: outlines of printable ASCII from a TrueType font, so that human-readable
 * lines need no font at run time.
 *
 * node scripts/derive-label-glyphs.ts DejaVuSansMono.ttf > src/images/code/label-glyphs.ts
 */
import { readFileSync } from "node:fs";

const fontPath = process.argv[2];
if (fontPath === undefined) {
  console.error(
    "The path of a TrueType font is missing. The committed file was made from DejaVuSansMono.ttf.",
  );
  process.exit(2);
}
const font = readFileSync(fontPath);
const tables = new Map<string, number>();
for (let i = 0; i < font.readUInt16BE(4); i++) {
  const at = 12 + i * 16;
  tables.set(font.toString("latin1", at, at + 4), font.readUInt32BE(at + 8));
}
const table = (tag: string): number => {
  const at = tables.get(tag);
  if (at === undefined) {
    throw new Error(`The font has no table ${tag}.`);
  }
  return at;
};
const longLoca = font.readInt16BE(table("head") + 50) === 1;
const metricCount = font.readUInt16BE(table("hhea") + 34);

/** Returns the glyph of a code point from the font's format 4 character map. */
function glyphOf(codePoint: number): number {
  const cmap = table("cmap");
  for (let i = 0; i < font.readUInt16BE(cmap + 2); i++) {
    const at = cmap + font.readUInt32BE(cmap + 4 + i * 8 + 4);
    if (font.readUInt16BE(at) !== 4) {
      continue;
    }
    const double = font.readUInt16BE(at + 6);
    for (let s = 0; s < double; s += 2) {
      const end = font.readUInt16BE(at + 14 + s);
      const start = font.readUInt16BE(at + 16 + double + s);
      if (codePoint < start || codePoint > end) {
        continue;
      }
      const delta = font.readUInt16BE(at + 16 + double * 2 + s);
      const rangeAt = at + 16 + double * 3 + s;
      const range = font.readUInt16BE(rangeAt);
      if (range === 0) {
        return (codePoint + delta) & 0xffff;
      }
      return font.readUInt16BE(rangeAt + range + (codePoint - start) * 2);
    }
  }
  throw new Error(`The font has no glyph for U+${codePoint.toString(16)}.`);
}

function glyphAt(glyph: number): { at: number; size: number } {
  const loca = table("loca");
  const offset = (n: number) =>
    longLoca ? font.readUInt32BE(loca + n * 4) : font.readUInt16BE(loca + n * 2) * 2;
  return { at: table("glyf") + offset(glyph), size: offset(glyph + 1) - offset(glyph) };
}

/** Returns the outline as SVG path data in font units, baseline at 0, y downwards. */
function outline(glyph: number, dx = 0, dy = 0): string {
  const { at, size } = glyphAt(glyph);
  if (size === 0) {
    return "";
  }
  const contours = font.readInt16BE(at);
  return contours >= 0 ? simple(at, contours, dx, dy) : composite(at + 10, dx, dy);
}

function composite(start: number, dx: number, dy: number): string {
  let at = start;
  let path = "";
  for (;;) {
    const flags = font.readUInt16BE(at);
    const part = font.readUInt16BE(at + 2);
    if ((flags & 0x00c8) !== 0 || (flags & 2) === 0) {
      throw new Error(`Glyph part ${part} is scaled or point-aligned: not supported here.`);
    }
    const words = (flags & 1) !== 0;
    const x = words ? font.readInt16BE(at + 4) : font.readInt8(at + 4);
    const y = words ? font.readInt16BE(at + 6) : font.readInt8(at + 5);
    path += outline(part, dx + x, dy + y);
    at += words ? 8 : 6;
    if ((flags & 0x20) === 0) {
      return path;
    }
  }
}

interface Point {
  x: number;
  y: number;
  on: boolean;
}

function simple(at: number, contours: number, dx: number, dy: number): string {
  const ends = Array.from({ length: contours }, (_, i) => font.readUInt16BE(at + 10 + i * 2));
  const count = (ends.at(-1) ?? -1) + 1;
  let cursor = at + 10 + contours * 2;
  cursor += 2 + font.readUInt16BE(cursor);
  const flags: number[] = [];
  while (flags.length < count) {
    const flag = font.readUInt8(cursor++);
    const repeats = (flag & 8) === 0 ? 0 : font.readUInt8(cursor++);
    for (let i = 0; i <= repeats; i++) {
      flags.push(flag);
    }
  }
  const axis = (shortBit: number, sameBit: number): number[] => {
    let value = 0;
    return flags.map((flag) => {
      if ((flag & shortBit) !== 0) {
        value += (flag & sameBit) === 0 ? -font.readUInt8(cursor) : font.readUInt8(cursor);
        cursor += 1;
      } else if ((flag & sameBit) === 0) {
        value += font.readInt16BE(cursor);
        cursor += 2;
      }
      return value;
    });
  };
  const xs = axis(2, 16);
  const ys = axis(4, 32);
  let path = "";
  let first = 0;
  for (const end of ends) {
    const points: Point[] = [];
    for (let i = first; i <= end; i++) {
      points.push({
        x: (xs[i] ?? 0) + dx,
        y: -((ys[i] ?? 0) + dy),
        on: ((flags[i] ?? 0) & 1) === 1,
      });
    }
    first = end + 1;
    path += contour(points);
  }
  return path;
}

function contour(points: Point[]): string {
  const middle = (a: Point, b: Point): Point => ({
    x: (a.x + b.x) / 2,
    y: (a.y + b.y) / 2,
    on: true,
  });
  const full: Point[] = [];
  for (const [i, point] of points.entries()) {
    const previous = points.at(i - 1) as Point;
    if (!point.on && !previous.on) {
      full.push(middle(previous, point));
    }
    full.push(point);
  }
  while (full[0]?.on === false) {
    full.push(full.shift() as Point);
  }
  const start = full[0] as Point;
  let path = `M${start.x} ${start.y}`;
  for (let i = 1; i < full.length; i++) {
    const point = full[i] as Point;
    if (point.on) {
      path += `L${point.x} ${point.y}`;
    } else {
      const to = full[(i + 1) % full.length] as Point;
      path += `Q${point.x} ${point.y} ${to.x} ${to.y}`;
      i++;
    }
  }
  return `${path}Z`;
}

const advance = (glyph: number) =>
  font.readUInt16BE(table("hmtx") + Math.min(glyph, metricCount - 1) * 4);
const lines: string[] = [];
const advances = new Set<number>();
for (let code = 0x20; code <= 0x7e; code++) {
  const glyph = glyphOf(code);
  advances.add(advance(glyph));
  lines.push(`  ${JSON.stringify(outline(glyph))}, // ${String.fromCharCode(code)}`);
}
if (advances.size !== 1) {
  throw new Error("The font is not monospaced.");
}
const capTop = Math.max(...(outline(glyphOf(0x48)).match(/-\d+/g) ?? []).map((n) => -Number(n)));
console.log(`/**
 * Outlines of printable ASCII, U+0020 to U+007E in order, as path data in font units with the
 * baseline at 0 and y downwards. Generated by scripts/derive-label-glyphs.ts from DejaVu Sans Mono
 * 2.37.
 *
 * DejaVu Sans Mono: Copyright (c) 2003 by Bitstream, Inc. All Rights Reserved. Bitstream Vera is a
 * trademark of Bitstream, Inc. DejaVu changes are in public domain. The Bitstream Vera license lets
 * anyone use, copy, change, merge, publish and distribute the fonts, and requires that this notice
 * is included and that changed fonts have another name. THE FONT SOFTWARE IS PROVIDED "AS IS",
 * WITHOUT WARRANTY OF ANY KIND.
 */

/** Every glyph is this wide, in font units. */
export const LABEL_ADVANCE = ${[...advances][0]};
/** Height of capitals and digits, in font units. */
export const LABEL_CAP_HEIGHT = ${capTop};
/** How far the lowest glyph reaches below the baseline, in font units. */
export const LABEL_DESCENT = ${Math.max(
  ...lines.flatMap((line) => [...line.matchAll(/[ ](\d+)(?=[LQZM])/g)].map((m) => Number(m[1]))),
)};

export const LABEL_GLYPHS: readonly string[] = [
${lines.join("\n")}
];`);

import { FontTable } from "./font-table.ts";
import { invalidFont } from "./invalid-font.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";

const MAPS_MAX = LIMITS.font_character_maps.value;
const LAST_CODE_POINT = 0x10_ffff;

/** Unicode maps in order of preference, by platform and encoding: the order of HarfBuzz. */
const PREFERENCE = ["3/10", "0/6", "0/4", "3/1", "0/3", "0/2", "0/1", "0/0", "3/0"];

/** Formats with a 16-bit length, and formats with a 32-bit length after padding. */
const SHORT_HEADED = new Set([0, 2, 4, 6]);
const LONG_HEADED = new Set([8, 10, 12, 13]);

/**
 * Checks the bounds of the character maps, reads the preferred Unicode map and returns the number
 * of characters that it maps to a glyph. Throws FontError, also if there is no such map.
 */
export function countCharacters(cmap: FontTable, glyphCount: number): number {
  const mapCount = cmap.u16(2);
  if (cmap.u16(0) !== 0 || mapCount === 0 || mapCount > MAPS_MAX) {
    throw invalidFont(
      `The table cmap has version ${cmap.u16(0)} and ${mapCount} character maps; version 0 and 1 to ${MAPS_MAX} are allowed`,
    );
  }
  let best: { readonly rank: number; readonly map: FontTable } | undefined;
  for (let i = 0; i < mapCount; i++) {
    const at = 4 + i * 8;
    const map = readMap(cmap, cmap.u32(at + 4));
    const rank = PREFERENCE.indexOf(`${cmap.u16(at)}/${cmap.u16(at + 2)}`);
    if (rank !== -1 && isCountable(map) && (best === undefined || rank < best.rank)) {
      best = { rank, map };
    }
  }
  if (best === undefined) {
    throw invalidFont("The font has no Unicode character map");
  }
  const count = countMap(best.map, glyphCount);
  if (count === 0) {
    throw invalidFont("No character is mapped to a glyph of the font");
  }
  return count;
}

/** The bytes of a map. The 16-bit length is too small for some maps of format 4. */
function readMap(cmap: FontTable, at: number): FontTable {
  const format = cmap.u16(at);
  let length: number;
  if (SHORT_HEADED.has(format)) {
    length = cmap.u16(at + 2);
  } else if (LONG_HEADED.has(format)) {
    length = cmap.u32(at + 4);
  } else if (format === 14) {
    length = cmap.u32(at + 2);
  } else {
    throw invalidFont(`The table cmap has a character map of the unknown format ${format}`);
  }
  cmap.need(at, length, "a character map");
  const isLong = format === 4 && cmap.u16(at + 6) > 0x1000;
  return new FontTable("cmap", cmap.bytes.subarray(at, isLong ? undefined : at + length));
}

function isCountable(map: FontTable): boolean {
  return [0, 4, 6, 10, 12, 13].includes(map.u16(0));
}

function countMap(map: FontTable, glyphCount: number): number {
  switch (map.u16(0)) {
    case 0:
      return countArray(map, 6, 256, 1, glyphCount);
    case 4:
      return countSegments(map, glyphCount);
    case 6:
      return countArray(map, 10, map.u16(8), 2, glyphCount);
    case 10:
      return countArray(map, 20, map.u32(16), 2, glyphCount);
    default:
      return countGroups(map, glyphCount);
  }
}

/** Formats 0, 6 and 10: one glyph for each character of a range. */
function countArray(
  map: FontTable,
  at: number,
  count: number,
  size: 1 | 2,
  glyphCount: number,
): number {
  map.need(at, count * size, `the glyphs of ${count} characters`);
  let mapped = 0;
  for (let i = 0; i < count; i++) {
    mapped += isMapped(map.uint(at + i * size, size), glyphCount) ? 1 : 0;
  }
  return mapped;
}

/**
 * Format 4: segments of the first 65,536 characters, in order, so that each character counts once.
 */
function countSegments(map: FontTable, glyphCount: number): number {
  const double = map.u16(6);
  const segmentCount = double >> 1;
  if (double % 2 !== 0 || segmentCount === 0) {
    throw invalidFont("A character map has an invalid number of segments");
  }
  map.need(14, segmentCount * 8 + 2, `${segmentCount} segments`);
  const [ends, starts] = [14, 16 + double];
  const [deltas, ranges] = [starts + double, starts + 2 * double];
  let mapped = 0;
  let before = -1;
  for (let i = 0; i < segmentCount; i++) {
    const [start, end] = [map.u16(starts + i * 2), map.u16(ends + i * 2)];
    if (start > end || start <= before) {
      throw invalidFont("The segments of a character map are not in order");
    }
    before = end;
    const delta = map.u16(deltas + i * 2);
    const rangeAt = ranges + i * 2;
    const range = map.u16(rangeAt);
    // The last segment, only 0xFFFF, is a terminator; some fonts have invalid data in it.
    if (start === 0xffff) {
      continue;
    }
    for (let code = start; code <= end; code++) {
      let glyph = (code + delta) & 0xffff;
      if (range !== 0) {
        const listed = map.u16(rangeAt + range + (code - start) * 2);
        glyph = listed === 0 ? 0 : (listed + delta) & 0xffff;
      }
      mapped += isMapped(glyph, glyphCount) ? 1 : 0;
    }
  }
  return mapped;
}

/** Formats 12 and 13: groups in order, each counted as a whole. */
function countGroups(map: FontTable, glyphCount: number): number {
  const isOneGlyph = map.u16(0) === 13;
  const groupCount = map.u32(12);
  map.need(16, groupCount * 12, `${groupCount} groups`);
  let mapped = 0;
  let before = -1;
  for (let i = 0; i < groupCount; i++) {
    const at = 16 + i * 12;
    const [start, end, glyph] = [map.u32(at), map.u32(at + 4), map.u32(at + 8)];
    if (start > end || start <= before || end > LAST_CODE_POINT) {
      throw invalidFont("The groups of a character map are not in order, or are outside Unicode");
    }
    before = end;
    isMapped(isOneGlyph ? glyph : glyph + (end - start), glyphCount);
    // Only one character of a group can be mapped to glyph 0, which means "missing".
    const missing = isOneGlyph ? (glyph === 0 ? end - start + 1 : 0) : glyph === 0 ? 1 : 0;
    mapped += end - start + 1 - missing;
  }
  return mapped;
}

/** Whether the glyph exists and is not glyph 0, which means "missing". */
function isMapped(glyph: number, glyphCount: number): boolean {
  if (glyph >= glyphCount) {
    throw invalidFont(
      `A character is mapped to glyph ${glyph}, but the font has ${glyphCount} glyphs`,
    );
  }
  return glyph !== 0;
}

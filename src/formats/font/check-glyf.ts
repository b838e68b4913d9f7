import type { FontTable } from "./font-table.ts";
import { invalidFont } from "./invalid-font.ts";
import { OutlineBudget } from "./outline-budget.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";

const DEPTH_MAX = LIMITS.glyph_depth.value;
const PARTS_MAX = LIMITS.glyph_parts.value;
const POINTS_MAX = LIMITS.glyph_points.value;

const [ARGS_ARE_WORDS, HAS_SCALE, MORE, HAS_XY_SCALE, HAS_MATRIX] = [1, 8, 32, 64, 128];
const [X_SHORT, Y_SHORT, REPEATS, X_SAME, Y_SAME] = [2, 4, 8, 16, 32];

interface Extent {
  readonly points: number;
  readonly parts: number;
  readonly depth: number;
}

/**
 * Validates every TrueType outline: offsets in order and inside the table, points inside the
 * glyph's bytes, parts that exist and do not nest too deep or in a cycle, and a bounded total of
 * points to draw. Throws FontError.
 */
export function checkGlyf(
  glyf: FontTable,
  loca: FontTable,
  glyphCount: number,
  hasLongOffsets: boolean,
): void {
  const offsets = readOffsets(loca, glyf, glyphCount, hasLongOffsets);
  const parts = new Map<number, readonly number[]>();
  const extents = new Map<number, Extent>();
  for (let glyph = 0; glyph < glyphCount; glyph++) {
    const [start = 0, end = 0] = offsets.subarray(glyph, glyph + 2);
    if (start === end) {
      continue;
    }
    if (end - start < 10) {
      throw invalidFont(`Glyph ${glyph} has ${end - start} bytes, fewer than its header`);
    }
    const contourCount = glyf.i16(start);
    if (contourCount < -1) {
      throw invalidFont(`Glyph ${glyph} has ${contourCount} contours`);
    }
    if (contourCount === -1) {
      parts.set(glyph, readParts(glyf, glyph, start + 10, end, glyphCount));
    } else {
      const points = checkSimple(glyf, glyph, start, end);
      extents.set(glyph, { points, parts: 1, depth: 0 });
    }
  }
  const budget = new OutlineBudget();
  for (let glyph = 0; glyph < glyphCount; glyph++) {
    const { points, parts: partCount } = measure(glyph, 0);
    budget.spend(points + partCount);
  }

  function measure(glyph: number, level: number): Extent {
    const known = extents.get(glyph);
    if (known !== undefined) {
      return known;
    }
    if (level > DEPTH_MAX) {
      throw invalidFont(
        `Glyph ${glyph} has parts that form a cycle, or that nest more than ${DEPTH_MAX} deep`,
      );
    }
    let [points, partCount, depth] = [0, 1, 0];
    for (const part of parts.get(glyph) ?? []) {
      const inner = measure(part, level + 1);
      points += inner.points;
      partCount += inner.parts;
      depth = Math.max(depth, inner.depth + 1);
      if (points > POINTS_MAX || partCount > PARTS_MAX || depth > DEPTH_MAX) {
        throw invalidFont(
          `Glyph ${glyph} is too complex: at most ${PARTS_MAX} parts, ${DEPTH_MAX} deep, and ${POINTS_MAX} points are drawn`,
        );
      }
    }
    const extent = { points, parts: partCount, depth };
    extents.set(glyph, extent);
    return extent;
  }
}

function readOffsets(
  loca: FontTable,
  glyf: FontTable,
  glyphCount: number,
  hasLongOffsets: boolean,
): Uint32Array {
  const offsets = new Uint32Array(glyphCount + 1);
  loca.need(0, offsets.length * (hasLongOffsets ? 4 : 2), `the offsets of ${glyphCount} glyphs`);
  let before = 0;
  for (let i = 0; i < offsets.length; i++) {
    const offset = hasLongOffsets ? loca.u32(i * 4) : loca.u16(i * 2) * 2;
    if (offset < before) {
      throw invalidFont(`The offsets in the table loca decrease at glyph ${i}`);
    }
    if (offset > glyf.length) {
      throw invalidFont(`Glyph ${i} is beyond the end of the table glyf`);
    }
    offsets[i] = offset;
    before = offset;
  }
  return offsets;
}

/** Number of points; all of them are inside the glyph's bytes. */
function checkSimple(glyf: FontTable, glyph: number, start: number, end: number): number {
  const contourCount = glyf.i16(start);
  let at = start + 10;
  const fits = (size: number): void => {
    if (at + size > end) {
      throw invalidFont(`The outline of glyph ${glyph} runs past the glyph's own end`);
    }
  };
  if (contourCount === 0) {
    return 0;
  }
  fits(contourCount * 2 + 2);
  let last = -1;
  for (let i = 0; i < contourCount; i++, at += 2) {
    const contourEnd = glyf.u16(at);
    if (contourEnd < last) {
      throw invalidFont(`The contours of glyph ${glyph} are not in order`);
    }
    last = contourEnd;
  }
  const pointCount = last + 1;
  const instructionBytes = glyf.u16(at);
  at += 2;
  fits(instructionBytes);
  at += instructionBytes;
  let coordinateBytes = 0;
  for (let points = 0; points < pointCount;) {
    fits(1);
    const flag = glyf.u8(at++);
    let run = 1;
    if ((flag & REPEATS) !== 0) {
      fits(1);
      run += glyf.u8(at++);
    }
    points += run;
    if (points > pointCount) {
      throw invalidFont(`Glyph ${glyph} repeats a point beyond its last`);
    }
    const x = (flag & X_SHORT) !== 0 ? 1 : (flag & X_SAME) !== 0 ? 0 : 2;
    const y = (flag & Y_SHORT) !== 0 ? 1 : (flag & Y_SAME) !== 0 ? 0 : 2;
    coordinateBytes += run * (x + y);
  }
  fits(coordinateBytes);
  return pointCount;
}

function readParts(
  glyf: FontTable,
  glyph: number,
  start: number,
  end: number,
  glyphCount: number,
): readonly number[] {
  const parts: number[] = [];
  let flags = MORE;
  for (let at = start; (flags & MORE) !== 0;) {
    if (at + 4 > end) {
      throw invalidFont(`The parts of glyph ${glyph} run past the glyph's own end`);
    }
    flags = glyf.u16(at);
    const part = glyf.u16(at + 2);
    if (part >= glyphCount) {
      throw invalidFont(
        `Glyph ${glyph} refers to glyph ${part}, but the font has ${glyphCount} glyphs`,
      );
    }
    at += 4 + ((flags & ARGS_ARE_WORDS) !== 0 ? 4 : 2);
    at +=
      (flags & HAS_SCALE) !== 0
        ? 2
        : (flags & HAS_XY_SCALE) !== 0
          ? 4
          : (flags & HAS_MATRIX) !== 0
            ? 8
            : 0;
    if (at > end) {
      throw invalidFont(`The parts of glyph ${glyph} run past the glyph's own end`);
    }
    parts.push(part);
  }
  return parts;
}

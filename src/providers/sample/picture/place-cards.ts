/** A box in px. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A frame may be less extreme than its picture: tried in sequence until each is large enough. */
export const RATIOS_MAX = [100, 12, 6, 3, 2, 1.5, 1.2, 1];

/**
 * A box for each picture: of its aspect ratio, at most `ratioMax`, all of one area, in rows, as
 * large as the zone allows. Undefined if that area is below `areaMin`.
 */
export function placeCards(
  aspects: readonly number[],
  zone: Box,
  gap: number,
  areaMin: number,
  ratioMax: number,
): readonly Box[] | undefined {
  const frames = aspects.map((aspect) => Math.min(ratioMax, Math.max(1 / ratioMax, aspect)));
  const rows = bestRows(frames, zone, gap);
  return rows === undefined || rows.area < areaMin ? undefined : boxesOf(rows, zone, gap);
}

/** The zone in equal cells, for zones in which no other arrangement makes pictures large enough. */
export function equalCells(count: number, zone: Box, gap: number): readonly Box[] {
  const isWide = zone.width >= zone.height;
  const length = ((isWide ? zone.width : zone.height) - gap * (count - 1)) / count;
  return Array.from({ length: count }, (_, i) => {
    const from = Math.round(i * (length + gap));
    const size = Math.max(1, Math.round(i * (length + gap) + length) - from);
    return isWide
      ? { x: zone.x + from, y: zone.y, width: size, height: zone.height }
      : { x: zone.x, y: zone.y + from, width: zone.width, height: size };
  });
}

interface Rows {
  readonly rows: readonly (readonly number[])[];
  readonly area: number;
}

/** Of all divisions into rows (at most 2^7), the one with the largest pictures. */
function bestRows(aspects: readonly number[], zone: Box, gap: number): Rows | undefined {
  let best: Rows | undefined;
  for (let breaks = 0; breaks < 2 ** (aspects.length - 1); breaks++) {
    const rows: number[][] = [[]];
    for (const [i, aspect] of aspects.entries()) {
      rows.at(-1)?.push(aspect);
      if (i < aspects.length - 1 && (breaks & (1 << i)) !== 0) {
        rows.push([]);
      }
    }
    const area = commonArea(rows, zone, gap);
    if (area > (best?.area ?? 0)) {
      best = { rows, area };
    }
  }
  return best;
}

/** A picture of ratio a and area s is √(s·a) wide and √(s/a) high. */
function commonArea(rows: readonly (readonly number[])[], zone: Box, gap: number): number {
  let side = Infinity;
  let heights = 0;
  for (const row of rows) {
    const widths = row.reduce((sum, aspect) => sum + Math.sqrt(aspect), 0);
    side = Math.min(side, (zone.width - gap * (row.length - 1)) / widths);
    heights += Math.max(...row.map((aspect) => Math.sqrt(1 / aspect)));
  }
  side = Math.min(side, (zone.height - gap * (rows.length - 1)) / heights);
  return side > 0 ? side * side : 0;
}

function boxesOf({ rows, area }: Rows, zone: Box, gap: number): Box[] {
  const side = Math.sqrt(area);
  const heights = rows.map((row) => Math.max(...row.map((aspect) => side / Math.sqrt(aspect))));
  const height = heights.reduce((sum, value) => sum + value, gap * (rows.length - 1));
  let y = zone.y + (zone.height - height) / 2;
  const boxes: Box[] = [];
  for (const [i, row] of rows.entries()) {
    const widths = row.map((aspect) => side * Math.sqrt(aspect));
    const width = widths.reduce((sum, value) => sum + value, gap * (row.length - 1));
    const rowHeight = heights[i] ?? 0;
    let x = zone.x + (zone.width - width) / 2;
    for (const [j, aspect] of row.entries()) {
      const own = side / Math.sqrt(aspect);
      boxes.push(onPixels({ x, y: y + (rowHeight - own) / 2, width: widths[j] ?? 0, height: own }));
      x += (widths[j] ?? 0) + gap;
    }
    y += rowHeight + gap;
  }
  return boxes;
}

/** On whole pixels and not smaller. */
function onPixels({ x, y, width, height }: Box): Box {
  return {
    x: Math.floor(x),
    y: Math.floor(y),
    width: Math.max(1, Math.ceil(width - 1e-6)),
    height: Math.max(1, Math.ceil(height - 1e-6)),
  };
}

import type { Context } from "../context.ts";
import type { Laid } from "../drawing/laid.ts";
import { paintPlaced, type Placed } from "./placed.ts";
import type { PreparedElement, PreparedLayout } from "../prepare/prepared.ts";
import { resizeElement } from "./resize.ts";

const ROUNDING = 0.01;

/** What flowed into a region, and how much did not fit. */
interface Flowed {
  readonly placed: readonly Placed[];
  readonly leftOut: number;
  /** Height of the children with their gaps. */
  readonly height: number;
}

/** Children in order, at their sizes. Those that do not fit are left out and counted. */
export function layRegion(region: PreparedLayout, context: Context, room: number): Laid {
  const { padding, fitHeight } = region;
  const limit = (fitHeight ? Math.max(room, 0) : region.height) - 2 * padding;
  const { placed, leftOut, height: content } = flowOf(region)(region, context, limit);
  const height = fitHeight ? content + 2 * padding : region.height;
  return {
    width: region.width,
    height,
    isGrown: height > region.height,
    paint(canvas, x, y) {
      context.pass.account.elementsLeftOut(leftOut);
      paintPlaced(placed, canvas, x + padding, y + padding);
    },
  };
}

function flowOf({ direction }: PreparedLayout) {
  switch (direction) {
    case "vertical":
      return flowDown;
    case "horizontal":
      return flowAcross;
    case "grid":
      return flowInGrid;
  }
}

/** A child in a flow: its own place does not count. */
function lay(child: PreparedElement, context: Context, room: number): Laid | null {
  return context.layOut(child, context, room);
}

function flowDown(region: PreparedLayout, context: Context, limit: number): Flowed {
  const { gap, alignItems } = region;
  const width = region.width - 2 * region.padding;
  const kept: Laid[] = [];
  let used = 0;
  let leftOut = 0;
  for (const child of region.children) {
    const at = kept.length === 0 ? 0 : used + gap;
    const sized = alignItems === "stretch" ? resizeElement(child, width, child.height) : child;
    const laid = lay(sized, context, limit - at);
    if (laid === null) {
      continue;
    }
    if (at + laid.height > limit + ROUNDING) {
      leftOut += 1;
      continue;
    }
    kept.push(laid);
    used = at + laid.height;
  }
  const spread = spreadOf(region, limit - used, kept.length);
  let y = spread.start;
  const placed = kept.map((laid, index) => {
    y += index === 0 ? 0 : gap + spread.between;
    const part = { laid, x: alignedAt(alignItems, width - laid.width), y };
    y += laid.height;
    return part;
  });
  return { placed, leftOut, height: used };
}

function flowAcross(region: PreparedLayout, context: Context, limit: number): Flowed {
  const { gap, alignItems, fitHeight } = region;
  const width = region.width - 2 * region.padding;
  const kept: Laid[] = [];
  let used = 0;
  let tallest = 0;
  let leftOut = 0;
  for (const child of region.children) {
    const at = kept.length === 0 ? 0 : used + gap;
    // The height of a region that fits its children is not known before them.
    const sized =
      alignItems === "stretch" && !fitHeight ? resizeElement(child, child.width, limit) : child;
    const laid = lay(sized, context, limit);
    if (laid === null) {
      continue;
    }
    if (at + laid.width > width + ROUNDING || laid.height > limit + ROUNDING) {
      leftOut += 1;
      continue;
    }
    kept.push(laid);
    used = at + laid.width;
    tallest = Math.max(tallest, laid.height);
  }
  const height = fitHeight ? tallest : limit;
  const spread = spreadOf({ ...region, fitHeight: false }, width - used, kept.length);
  let x = spread.start;
  const placed = kept.map((laid, index) => {
    x += index === 0 ? 0 : gap + spread.between;
    const part = { laid, x, y: alignedAt(alignItems, height - laid.height) };
    x += laid.width;
    return part;
  });
  return { placed, leftOut, height: tallest };
}

/** Cells of equal width, filled row by row; a row is as high as its highest child. */
function flowInGrid(region: PreparedLayout, context: Context, limit: number): Flowed {
  const { gap, rowGap, columns, alignItems } = region;
  const width = (region.width - 2 * region.padding - gap * (columns - 1)) / columns;
  const rows: { readonly laid: Laid[]; readonly top: number; height: number }[] = [];
  let used = 0;
  let leftOut = 0;
  for (const child of region.children) {
    let row = rows.at(-1);
    const isNew = row === undefined || row.laid.length === columns;
    const top = row === undefined ? 0 : isNew ? used + rowGap : row.top;
    const sized =
      alignItems === "stretch" ? resizeElement(child, Math.max(width, 0), child.height) : child;
    const laid = lay(sized, context, limit - top);
    if (laid === null) {
      continue;
    }
    if (top + laid.height > limit + ROUNDING) {
      leftOut += 1;
      continue;
    }
    if (row === undefined || isNew) {
      row = { laid: [], top, height: 0 };
      rows.push(row);
    }
    row.laid.push(laid);
    row.height = Math.max(row.height, laid.height);
    used = top + row.height;
  }
  const spread = spreadOf(region, limit - used, rows.length);
  const placed = rows.flatMap(({ laid, top, height }, index) =>
    laid.map((part, column) => ({
      laid: part,
      x: column * (width + gap),
      y: spread.start + index * spread.between + top + alignedAt(alignItems, height - part.height),
    })),
  );
  return { placed, leftOut, height: used };
}

function alignedAt(align: PreparedLayout["alignItems"], free: number): number {
  switch (align) {
    case "start":
    case "stretch":
      return 0;
    case "center":
      return free / 2;
    case "end":
      return free;
  }
}

/** Where the first child begins, and what is added to every gap. */
function spreadOf(
  { justifyContent, fitHeight }: Pick<PreparedLayout, "justifyContent" | "fitHeight">,
  room: number,
  count: number,
): { readonly start: number; readonly between: number } {
  const free = fitHeight ? 0 : Math.max(room, 0);
  switch (justifyContent) {
    case "start":
      return { start: 0, between: 0 };
    case "center":
      return { start: free / 2, between: 0 };
    case "end":
      return { start: free, between: 0 };
    case "space_between":
      return { start: 0, between: count > 1 ? free / (count - 1) : 0 };
  }
}

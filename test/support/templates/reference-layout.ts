/**
 * The layout of texts, groups, layout regions, lists and pages (docs/contract/templates.md#pages) as slow and plain as it can
 * be written: every position is a sum over what stands before it, and every sum is made again for each position.
 * Texts are those of `fake-text.ts`, of 10 points: each character 5 points wide, each line 10 points high.
 */
import type { JsonValue } from "../../../src/lib/json/exact-json.ts";
import { placeRowsSlowly } from "./reference-rows.ts";

export interface ModelElement {
  readonly $type: "text" | "group" | "layout_region" | "repeat_region";
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
  readonly visible: boolean;
  readonly pageScope?: "first" | "continuation" | "all" | "last";
  readonly placeholder?: { readonly code: string };
  readonly text?: string;
  readonly fixedHeight?: boolean;
  readonly children?: readonly ModelElement[];
  readonly direction?: "vertical" | "horizontal" | "grid";
  readonly gap?: number;
  readonly rowGap?: number;
  readonly padding?: number;
  readonly columns?: number;
  readonly alignItems?: "start" | "center" | "end" | "stretch";
  readonly justifyContent?: "start" | "center" | "end" | "space_between";
  readonly fitHeight?: boolean;
  readonly itemHeight?: number;
  readonly itemWidth?: number;
  readonly fitItemHeight?: boolean;
  readonly header?: readonly ModelElement[];
  readonly headerHeight?: number;
  readonly repeatHeader?: boolean;
  readonly maxItems?: number;
  readonly overflowMode?: "clip" | "continue" | "grow";
}

export interface ModelPage {
  readonly width: number;
  readonly height: number;
  readonly fitHeight: boolean;
  readonly bottomMargin: number;
  readonly elements: readonly ModelElement[];
}

export type ModelValues = { readonly [code: string]: JsonValue };

/** What prints on the pages, a line of text as `text x,y`, and how much does not. */
export interface ModelLayout {
  readonly pages: readonly { readonly height: number; readonly lines: readonly string[] }[];
  readonly elementsLeftOut: number;
  readonly rowsPrinted: number;
  readonly rowsLeftOut: number;
}

interface Tally {
  elementsLeftOut: number;
  rowsPrinted: number;
  rowsLeftOut: number;
}

/** A laid element. `print` tells its lines at a place, and counts what is lost in it. */
interface Part {
  readonly width: number;
  readonly height: number;
  readonly isGrown: boolean;
  readonly print: (x: number, y: number, tally: Tally) => string[];
}

const CHARACTER = 5;
const LINE = 10;
const ROUNDING = 0.01;
const PAGE_MIN = 10;
const PAGE_MAX = 14_400;

export function layOutSlowly(pages: readonly ModelPage[], values: ModelValues): ModelLayout {
  const tally: Tally = { elementsLeftOut: 0, rowsPrinted: 0, rowsLeftOut: 0 };
  const printed = pages.flatMap((page) => pagesOf(page, values, tally));
  return { pages: printed, ...tally };
}

function pagesOf(page: ModelPage, values: ModelValues, tally: Tally) {
  const flow = page.elements.find(
    ({ $type, overflowMode, visible }) =>
      $type === "repeat_region" && overflowMode === "continue" && visible,
  );
  const boxes = flow === undefined ? [] : boxesOf(flow, values, flow.height, true);
  const copies = Math.max(1, boxes.length);
  const printed = [];
  for (let copy = 0; copy < copies; copy += 1) {
    const lines: string[] = [];
    const bottoms: number[] = [];
    for (const element of page.elements) {
      const bottom = page.fitHeight ? PAGE_MAX - page.bottomMargin : page.height;
      const part =
        element === flow
          ? { ...boxes[copy]!, height: flow.height }
          : isOnCopy(element, copy, copies)
            ? lay(element, values, bottom - element.top)
            : undefined;
      if (part !== undefined) {
        lines.push(...part.print(element.left, element.top, tally));
        bottoms.push(element.top + part.height);
      }
    }
    const fitted = Math.max(0, ...bottoms) + page.bottomMargin;
    printed.push({
      height: page.fitHeight ? Math.min(Math.max(fitted, PAGE_MIN), PAGE_MAX) : page.height,
      lines,
    });
  }
  if (flow !== undefined) {
    tally.rowsLeftOut += itemsOf(flow, values).length - sum(boxes.map(({ rows }) => rows));
  }
  return printed;
}

function isOnCopy({ pageScope = "first" }: ModelElement, copy: number, copies: number): boolean {
  return {
    all: true,
    first: copy === 0,
    continuation: copy > 0,
    last: copy === copies - 1,
  }[pageScope];
}

/** Undefined for what does not show. */
function lay(element: ModelElement, values: ModelValues, room: number): Part | undefined {
  if (!element.visible) {
    return undefined;
  }
  switch (element.$type) {
    case "text":
      return layText(element, values, room);
    case "group":
      return layGroup(element, values, room);
    case "layout_region":
      return layRegion(element, values, room);
    case "repeat_region":
      return layList(element, values, room);
  }
}

function layText(element: ModelElement, values: ModelValues, room: number): Part {
  const { placeholder, width } = element;
  const text = (placeholder === undefined ? element.text : values[placeholder.code]) as string;
  const characters = Array.from(text);
  const inLine = Math.max(1, Math.floor(width / CHARACTER + 1e-9));
  const count = Math.ceil(characters.length / inLine);
  const wanted = Math.max(element.height, count * LINE);
  const most = element.fixedHeight === true ? element.height : Math.max(room, element.height);
  const height = element.fixedHeight === true || wanted > most + ROUNDING ? most : wanted;
  let fitting = 0;
  while (fitting < count && (fitting + 1) * LINE <= height + ROUNDING) {
    fitting += 1;
  }
  return {
    width,
    height,
    isGrown: height > element.height,
    print: (x, y) =>
      Array.from({ length: fitting }, (_, i) =>
        lineAt(characters.slice(i * inLine, (i + 1) * inLine).join(""), x, y + (i + 1) * LINE),
      ),
  };
}

export function lineAt(text: string, x: number, y: number): string {
  const shown = (value: number) => String(Math.round(value * 1000) / 1000 + 0);
  return `${text} ${shown(x)},${shown(y)}`;
}

function layGroup(element: ModelElement, values: ModelValues, room: number): Part {
  const { parts, grownBottom } = layInside(element.children ?? [], values, room);
  const height = Math.max(element.height, grownBottom);
  return { width: element.width, height, isGrown: height > element.height, print: printAll(parts) };
}

interface Stood {
  readonly part: Part;
  readonly x: number;
  readonly y: number;
}

/** Elements at their own places, and the lowest edge of those that have grown. */
function layInside(children: readonly ModelElement[], values: ModelValues, room: number) {
  const parts: Stood[] = children.flatMap((child) => {
    const part = lay(child, values, room - child.top);
    return part === undefined ? [] : [{ part, x: child.left, y: child.top }];
  });
  const grown = parts.filter(({ part }) => part.isGrown);
  return { parts, grownBottom: Math.max(0, ...grown.map(({ part, y }) => y + part.height)) };
}

function printAll(parts: readonly Stood[]): Part["print"] {
  return (x, y, tally) => parts.flatMap(({ part, ...at }) => part.print(x + at.x, y + at.y, tally));
}

/** How the children of a region follow each other. */
function flowOf(element: ModelElement, room: number) {
  const { padding = 0, gap = 0, rowGap = gap, columns = 2, direction } = element;
  const { alignItems = "start", justifyContent = "start", fitHeight = false } = element;
  const innerWidth = element.width - 2 * padding;
  const isGrid = direction === "grid";
  return {
    padding,
    gap,
    alignItems,
    justifyContent,
    fitHeight,
    isGrid,
    innerWidth,
    limit: (fitHeight ? Math.max(room, 0) : element.height) - 2 * padding,
    /** Children in one line; lines follow each other downwards. */
    perLine: isGrid ? columns : direction === "vertical" ? 1 : Infinity,
    between: isGrid ? rowGap : gap,
    cell: isGrid ? (innerWidth - gap * (columns - 1)) / columns : innerWidth,
  };
}

function layRegion(element: ModelElement, values: ModelValues, room: number): Part {
  const { padding, gap, alignItems, justifyContent, fitHeight, isGrid, ...flow } = flowOf(
    element,
    room,
  );
  const { innerWidth, limit, perLine, between, cell } = flow;
  const kept: Part[] = [];
  let leftOut = 0;
  /** The top of line `n`, from the heights of the lines above. */
  const topOf = (n: number) => sum(Array.from({ length: n }, (_, i) => heightOfLine(i) + between));
  const lineOf = (n: number) =>
    perLine === Infinity ? kept : kept.slice(n * perLine, (n + 1) * perLine);
  const heightOfLine = (n: number) => Math.max(0, ...lineOf(n).map(({ height }) => height));
  const leftOf = (i: number) => sum(kept.slice(0, i).map(({ width }) => width + gap));
  for (const child of element.children ?? []) {
    const top = perLine === Infinity ? 0 : topOf(Math.floor(kept.length / perLine));
    const part = lay(stretched(child, element, cell, limit), values, limit - top);
    if (part === undefined) {
      continue;
    }
    const isTooWide =
      perLine === Infinity && leftOf(kept.length) + part.width > innerWidth + ROUNDING;
    if (isTooWide || top + part.height > limit + ROUNDING) {
      leftOut += 1;
    } else {
      kept.push(part);
    }
  }
  const lineCount =
    perLine === Infinity ? Math.min(1, kept.length) : Math.ceil(kept.length / perLine);
  const content = lineCount === 0 ? 0 : topOf(lineCount) - between;
  const height = fitHeight ? content + 2 * padding : element.height;
  const parts = kept.map((part, i): Stood => {
    if (perLine === Infinity) {
      const used = leftOf(kept.length) - gap;
      const x = leftOf(i) + spread(justifyContent, innerWidth - used, kept.length, i);
      const cross = fitHeight ? content : limit;
      return { part, x: x + padding, y: padding + aligned(alignItems, cross - part.height) };
    }
    const line = Math.floor(i / perLine);
    const free = fitHeight ? 0 : limit - content;
    const y = topOf(line) + spread(justifyContent, free, lineCount, line);
    return isGrid
      ? {
          part,
          x: padding + (i % perLine) * (cell + gap),
          y: padding + y + aligned(alignItems, heightOfLine(line) - part.height),
        }
      : { part, x: padding + aligned(alignItems, innerWidth - part.width), y: padding + y };
  });
  const print = printAll(parts);
  return {
    width: element.width,
    height,
    isGrown: height > element.height,
    print: (x, y, tally) => {
      tally.elementsLeftOut += leftOut;
      return print(x, y, tally);
    },
  };
}

/** A child that fills the region across the flow; a group keeps its size. */
function stretched(
  child: ModelElement,
  { alignItems, direction, fitHeight }: ModelElement,
  cell: number,
  limit: number,
): ModelElement {
  if (alignItems !== "stretch" || child.$type === "group") {
    return child;
  }
  if (direction === "horizontal") {
    return fitHeight === true ? child : { ...child, height: limit };
  }
  return { ...child, width: direction === "grid" ? Math.max(cell, 0) : cell };
}

function aligned(align: NonNullable<ModelElement["alignItems"]>, free: number): number {
  return { start: 0, stretch: 0, center: free / 2, end: free }[align];
}

/** How far part `i` of `count` is moved by what is free. */
function spread(
  justify: NonNullable<ModelElement["justifyContent"]>,
  room: number,
  count: number,
  i: number,
): number {
  const free = Math.max(room, 0);
  const step = count > 1 ? free / (count - 1) : 0;
  return { start: 0, center: free / 2, end: free, space_between: i * step }[justify];
}

function layList(element: ModelElement, values: ModelValues, room: number): Part {
  const isGrowing = element.overflowMode === "grow";
  const [box] = boxesOf(element, values, isGrowing ? Math.max(room, 0) : element.height, false);
  const height = isGrowing ? box!.height : element.height;
  return {
    width: element.width,
    height,
    isGrown: height > element.height,
    print: (x, y, tally) => {
      const lines = box!.print(x, y, tally);
      tally.rowsLeftOut += itemsOf(element, values).length - box!.rows;
      return lines;
    },
  };
}

/** The boxes that a list fills one after another: one unless it goes on. */
function boxesOf(element: ModelElement, values: ModelValues, room: number, goesOn: boolean) {
  const { direction, gap = 0, rowGap = gap, columns = 2, header = [], headerHeight = 0 } = element;
  const { itemHeight = 0, itemWidth = 0, repeatHeader = true, fitItemHeight } = element;
  const items = itemsOf(element, values).slice(0, element.maxItems);
  const rows = items.map((item) => {
    const inside = layInside(
      element.children ?? [],
      item,
      fitItemHeight === true ? Infinity : itemHeight,
    );
    const height = fitItemHeight === true ? Math.max(itemHeight, inside.grownBottom) : itemHeight;
    return { height, print: printAll(inside.parts) };
  });
  const isAcross = direction === "horizontal";
  // Across, a list is one down its width, of rows that are low enough.
  const low = rows.flatMap(({ height }, i) =>
    isAcross && height > room - headerHeight + ROUNDING ? [] : [i],
  );
  const { places, pages } = placeRowsSlowly({
    heights: low.map((i) => (isAcross ? itemWidth : rows[i]!.height)),
    height: isAcross ? element.width : room,
    headerHeight: isAcross ? 0 : headerHeight,
    repeatHeader,
    columns: direction === "grid" ? columns : 1,
    gap: direction === "grid" ? rowGap : gap,
    goesOn,
  });
  const cell = (element.width - gap * (columns - 1)) / columns;
  const head = printAll(layInside(header, values, headerHeight).parts);
  return Array.from({ length: pages }, (_, page) => {
    const hasHeader = page === 0 || repeatHeader;
    const here = places
      .filter((place) => place.page === page)
      .map(({ row, column, y }) => ({
        row: rows[low[row]!]!,
        x: isAcross ? y : column * (cell + gap),
        y: isAcross ? headerHeight : y,
      }));
    return {
      rows: here.length,
      width: element.width,
      height: Math.max(hasHeader ? headerHeight : 0, ...here.map(({ row, y }) => y + row.height)),
      isGrown: false,
      print: (x: number, y: number, tally: Tally) => {
        tally.rowsPrinted += here.length;
        return [
          ...(hasHeader ? head(x, y, tally) : []),
          ...here.flatMap((place) => place.row.print(x + place.x, y + place.y, tally)),
        ];
      },
    };
  });
}

function itemsOf({ placeholder }: ModelElement, values: ModelValues): readonly ModelValues[] {
  return (values[placeholder?.code ?? ""] ?? []) as readonly ModelValues[];
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

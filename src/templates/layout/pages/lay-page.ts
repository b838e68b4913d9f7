import type { DisplayLink, DisplayPage } from "../../display-list.ts";
import { Canvas } from "../drawing/canvas.ts";
import type { Context, Pass } from "../context.ts";
import { paintBackground } from "./lay-background.ts";
import { decorate, isShown, layElement } from "../elements/lay-element.ts";
import type { Laid } from "../drawing/laid.ts";
import { cosSin, IDENTITY } from "../drawing/matrix.ts";
import type { PageNumbers } from "./page-numbers.ts";
import { paintPlaced, type Placed, placeElements } from "../elements/placed.ts";
import type {
  PageScope,
  PreparedElement,
  PreparedMaster,
  PreparedPage,
} from "../prepare/prepared.ts";
import { RowFlow } from "../elements/row-flow.ts";
import type { Scope } from "../fields/scope.ts";

/** Sizes of pages in a PDF. */
const HEIGHT_MIN = 10;
const HEIGHT_MAX = 14_400;

interface PlacedOnPage extends Placed {
  readonly angle: number;
}

export interface PageJob {
  readonly pass: Pass;
  readonly page: PreparedPage;
  readonly pageIndex: number;
  readonly scope: Scope;
  readonly numbers: PageNumbers;
}

/**
 * Counts the output pages of one page of the document without painting; stops after `max`. Rows are laid out only where
 * their height depends on their texts. Yields null where the caller may pause.
 */
export function* countOutputPages(job: PageJob, max: number): Generator<null, number> {
  const { flow } = job.page;
  if (flow === null || !isShown(flow, contextOf(job, 0))) {
    return 1;
  }
  const rows = new RowFlow(flow, contextOf(job, 0), true);
  let count = 0;
  do {
    const context = contextOf(job, count);
    yield* job.pass.slices.run(repeatable(job, rows, () => rows.fill(context, flow.height)));
    count += 1;
  } while (!rows.isDone && count < max);
  return count;
}

/**
 * Lays out and paints the output pages of one page of the document, one after another. Yields null where the caller may
 * pause.
 */
export function* layOutputPages(job: PageJob): Generator<DisplayPage | null, void> {
  const { page, pass } = job;
  const { flow } = page;
  const first = contextOf(job, 0);
  const rows = flow !== null && isShown(flow, first) ? new RowFlow(flow, first, false) : null;
  let copy = 0;
  do {
    const laid = yield* pass.slices.run(repeatable(job, rows, () => layPage(job, rows, copy)));
    yield paintPage(job, laid);
    if (rows === null || rows.isDone) {
      rows?.report(first);
    }
    copy += 1;
  } while (rows !== null && !rows.isDone);
}

/** A part of the layout that starts each time as the first time. */
function repeatable<T>({ pass }: PageJob, rows: RowFlow | null, part: () => T): () => T {
  const undo = [pass.mark(), rows?.mark()];
  return () => {
    for (const one of undo) {
      one?.();
    }
    return part();
  };
}

/** An output page whose parts have their places. */
interface LaidPage {
  readonly context: Context;
  readonly pageNumber: number;
  readonly height: number;
  readonly master: PreparedMaster | undefined;
  readonly placed: readonly Placed[];
  readonly ofMaster: readonly Placed[];
}

function layPage(job: PageJob, rows: RowFlow | null, copy: number): LaidPage {
  const { page, pageIndex, numbers } = job;
  const { flow } = page;
  const context = contextOf(job, copy);
  const filled = flow === null ? undefined : rows?.fill(context, flow.height);
  const isLast = rows === null || rows.isDone;
  const placed: PlacedOnPage[] = [];
  for (const element of page.elements) {
    const laid =
      element === flow
        ? flowPart()
        : prints(element.pageScope, copy === 0, isLast)
          ? layElement(element, context, roomBelow(page, element))
          : null;
    if (laid !== null) {
      placed.push({ laid, x: element.left, y: element.top, angle: element.angle });
    }
  }
  const pageNumber = numbers.pageNumberOf(pageIndex, copy);
  const height = page.fitHeight ? fittedHeight(page, placed) : page.height;
  const master = page.masters.find(
    ({ rule }) => rule === "all" || (rule === "odd") === (pageNumber % 2 === 1),
  );
  const ofMaster = placeElements(master?.elements ?? [], context, height).placed;
  return { context, pageNumber, height, master, placed, ofMaster };

  function flowPart(): Laid | null {
    if (flow === null || filled === undefined) {
      return null;
    }
    context.pass.countElement();
    const { width, height: boxHeight } = flow;
    const paint = filled.paint;
    return decorate(flow, context, { width, height: boxHeight, isGrown: false, paint });
  }
}

function contextOf({ pass, scope, numbers, pageIndex }: PageJob, copy: number): Context {
  return { pass, scope, numbers: numbers.textsOf(pageIndex, copy), layOut: layElement };
}

/** What may grow ends with the page, unless the page grows too. */
function roomBelow(page: PreparedPage, element: PreparedElement): number {
  return (page.fitHeight ? HEIGHT_MAX - page.bottomMargin : page.height) - element.top;
}

function prints(scope: PageScope, isFirst: boolean, isLast: boolean): boolean {
  switch (scope) {
    case "all":
      return true;
    case "first":
      return isFirst;
    case "continuation":
      return !isFirst;
    case "last":
      return isLast;
  }
}

function paintPage(
  { pass, page }: PageJob,
  { context, pageNumber, height, master, placed, ofMaster }: LaidPage,
): DisplayPage {
  const { width } = page;
  pass.account.pageNumber = pageNumber;
  pass.account.pageSize = { width, height };
  const links: DisplayLink[] = [];
  const canvas = new Canvas(IDENTITY, links);
  const sheet = page.useMasterBackground && master !== undefined ? master : page;
  paintBackground(sheet, canvas, { x: 0, y: 0, width, height }, pass);
  const layers = page.masterLayer === "underlay" ? [ofMaster, placed] : [placed, ofMaster];
  for (const layer of layers) {
    paintPlaced(layer, canvas, 0, 0);
  }
  return {
    pageId: page.id,
    pageNumber,
    label: context.numbers.page,
    width,
    height,
    items: canvas.items,
    links,
  };
}

/** The page ends `bottomMargin` below its lowest element. */
function fittedHeight(page: PreparedPage, placed: readonly PlacedOnPage[]): number {
  const bottoms = placed.map(({ laid: { width, height }, y, angle }) => {
    const [cos, sin] = cosSin(angle);
    return y + (height + Math.abs(width * sin) + Math.abs(height * cos)) / 2;
  });
  const lowest = Math.max(0, ...bottoms) + page.bottomMargin;
  return Math.min(Math.max(lowest, HEIGHT_MIN), HEIGHT_MAX);
}

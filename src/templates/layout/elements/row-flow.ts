import type { Context } from "../context.ts";
import type { Laid } from "../drawing/laid.ts";
import type { Values } from "../options.ts";
import { paintPlaced, placeElements, type Placed } from "./placed.ts";
import type { PreparedRepeat } from "../prepare/prepared.ts";
import { itemsOf, type Scope } from "../fields/scope.ts";
import { FieldTable } from "../fields/field-table.ts";

const ROUNDING = 0.01;

/** Rows that stand on one page, or in one region. */
export interface FilledRows {
  /** Height of header and rows. */
  readonly height: number;
  readonly rows: number;
  readonly paint: Laid["paint"];
}

interface Row {
  readonly width: number;
  readonly height: number;
  readonly placed: readonly Placed[];
}

/** Room for lines: along the direction in which they follow each other, and across it. */
interface Space {
  readonly length: number;
  readonly breadth: number;
  readonly lengthAlone: number;
  readonly breadthAlone: number;
}

/** Rows that are placed together: one, or those of one row of a grid. None if the items left fit nowhere. */
interface Line {
  readonly rows: readonly Row[];
  /** Along the direction in which lines follow each other. */
  readonly size: number;
  /** Largest size the other way. */
  readonly breadth: number;
  /** Index after the last item of the line. */
  readonly end: number;
}

/**
 * The rows of one list on their way into boxes of one size: `fill` takes as many as fit, in order. A row is never
 * split; one that does not fit even into an empty box is left out, and those after it go on.
 */
export class RowFlow {
  readonly #region: PreparedRepeat;
  readonly #scope: Scope;
  readonly #fields: FieldTable;
  readonly #items: readonly Values[];
  /** Rows of a fixed height need not be laid out to be counted. */
  readonly #isCounting: boolean;
  readonly #count: number;
  readonly #limit: number;
  readonly #cell: number;
  #next = 0;
  #printed = 0;
  #fills = 0;

  constructor(region: PreparedRepeat, { scope, pass }: Context, isCounting: boolean) {
    this.#region = region;
    this.#scope = scope;
    this.#isCounting = isCounting && !region.fitItemHeight;
    this.#fields = scope.fieldsOf(region.field.code) ?? new FieldTable();
    this.#items = itemsOf(scope.read(region.field));
    this.#count = this.#items.length;
    this.#limit = Math.min(this.#count, region.maxItems, pass.options.maxRepeat ?? Infinity);
    const { columns, gap, width, itemWidth, direction } = region;
    const cells = { vertical: width, horizontal: itemWidth };
    this.#cell = direction === "grid" ? (width - gap * (columns - 1)) / columns : cells[direction];
  }

  /** Whether no row is waiting for another box. */
  get isDone(): boolean {
    return this.#next >= this.#limit;
  }

  /** Returns a function that takes back the boxes that are filled from now on. */
  mark(): () => void {
    const [next, printed, fills] = [this.#next, this.#printed, this.#fills];
    return () => {
      [this.#next, this.#printed, this.#fills] = [next, printed, fills];
    };
  }

  /** Fills the next box, which is `room` high. */
  fill(context: Context, room: number): FilledRows {
    const region = this.#region;
    const hasHeader = this.#fills === 0 || region.repeatHeader;
    this.#fills += 1;
    const top = hasHeader ? region.headerHeight : 0;
    const isAcross = region.direction === "horizontal";
    const space = this.#spaceOf(room, top);
    const gap = region.direction === "grid" ? region.rowGap : region.gap;
    const placed: { readonly row: Row; readonly x: number; readonly y: number }[] = [];
    let used = 0;
    let height = 0;
    while (!this.isDone) {
      const line = this.#takeLine(context, space);
      const at = placed.length === 0 ? 0 : used + gap;
      const fits =
        at + line.size <= space.length + ROUNDING && line.breadth <= space.breadth + ROUNDING;
      if (line.rows.length > 0 && !fits) {
        break;
      }
      this.#next = line.end;
      if (line.rows.length > 0) {
        used = at + line.size;
      }
      for (const [column, row] of line.rows.entries()) {
        const x = isAcross ? at : column * (this.#cell + region.gap);
        const y = isAcross ? 0 : at;
        placed.push({ row, x, y });
        height = Math.max(height, y + row.height);
      }
    }
    this.#printed += placed.length;
    const header =
      hasHeader && !this.#isCounting
        ? placeElements(region.header, context, region.headerHeight).placed
        : [];
    const { account } = context.pass;
    return {
      height: top + height,
      rows: placed.length,
      paint: (canvas, x, y) => {
        account.rowsPrinted(placed.length);
        paintPlaced(header, canvas, x, y);
        for (const part of placed) {
          paintPlaced(part.row.placed, canvas, x + part.x, y + top + part.y);
        }
      },
    };
  }

  /** Accounts for the list once its last box is painted. */
  report({ pass, scope }: Context): void {
    const { account, options } = pass;
    const { id, field, maxItems } = this.#region;
    const code = scope.codeOf(field);
    account.fieldUsed(code);
    const leftOut = this.#count - this.#printed;
    if (leftOut === 0) {
      return;
    }
    const isCapped = this.#printed === this.#limit;
    const isOption = (options.maxRepeat ?? Infinity) < maxItems;
    const path = scope.pathOf(field);
    account.list({
      element_id: id,
      field: code,
      item: [...scope.item],
      rows: this.#count,
      rows_printed: this.#printed,
      rows_left_out: leftOut,
      reason: isCapped ? (isOption ? "max_repeat" : "max_items") : "no_room",
    });
    if (options.overflowPolicy === "fail") {
      account.problems.push({
        code: "LIST_OVERFLOW",
        field: path,
        elementId: id,
        message: `The list ${path} has ${this.#count} rows, of which ${this.#printed} print. Send fewer rows, or make room for them.`,
      });
    }
  }

  /** The space below a header, and that of a row which has a box to itself. */
  #spaceOf(room: number, top: number): Space {
    const { repeatHeader, headerHeight, overflowMode, direction, width } = this.#region;
    const topOfNext = repeatHeader ? headerHeight : 0;
    // What fits into an empty box only may wait for the next one, if there is one.
    const alone = room - (overflowMode === "continue" ? Math.min(top, topOfNext) : top);
    return direction === "horizontal"
      ? { length: width, breadth: room - top, lengthAlone: width, breadthAlone: alone }
      : { length: room - top, breadth: Infinity, lengthAlone: alone, breadthAlone: Infinity };
  }

  #takeLine(context: Context, { lengthAlone, breadthAlone }: Space): Line {
    const isAcross = this.#region.direction === "horizontal";
    const columns = this.#region.direction === "grid" ? this.#region.columns : 1;
    const rows: Row[] = [];
    let size = 0;
    let breadth = 0;
    let index = this.#next;
    while (rows.length < columns && index < this.#limit) {
      const row = this.#row(context, index);
      index += 1;
      const [main, cross] = isAcross ? [row.width, row.height] : [row.height, row.width];
      if (main > lengthAlone + ROUNDING || cross > breadthAlone + ROUNDING) {
        continue;
      }
      rows.push(row);
      size = Math.max(size, main);
      breadth = Math.max(breadth, cross);
    }
    return { rows, size, breadth, end: index };
  }

  #row(context: Context, index: number): Row {
    const { field, children, itemHeight, fitItemHeight } = this.#region;
    if (this.#isCounting) {
      return { width: this.#cell, height: itemHeight, placed: [] };
    }
    const values = this.#items[index] ?? {};
    const scope = this.#scope.ofItem(field.code, index, this.#fields, values);
    const room = fitItemHeight ? Infinity : itemHeight;
    const { placed, grownBottom } = placeElements(children, { ...context, scope }, room);
    const height = fitItemHeight ? Math.max(itemHeight, grownBottom) : itemHeight;
    return { width: this.#cell, height, placed };
  }
}

import type { ColumnType } from "../../contracts/dataset.ts";
import { type CellKind, KIND, KINDS } from "./cell-kind.ts";

/** Number of cells of each kind in each column; columns may be added during reading. */
export class ColumnCounts {
  #counts = new Float64Array(KINDS * 16);

  /** Returns true for the first cell of a kind in its column. */
  add(column: number, kind: CellKind): boolean {
    const at = column * KINDS + kind;
    if (at >= this.#counts.length) {
      const wider = new Float64Array(Math.max(this.#counts.length * 2, at + KINDS));
      wider.set(this.#counts);
      this.#counts = wider;
    }
    const before = this.#counts[at] ?? 0;
    this.#counts[at] = before + 1;
    return before === 0;
  }

  of(column: number, kind: CellKind): number {
    return this.#counts[column * KINDS + kind] ?? 0;
  }

  /** Number of cells that are not empty. */
  present(column: number): number {
    let present = 0;
    for (let kind = KIND.text; kind < KINDS; kind++) {
      present += this.#counts[column * KINDS + kind] ?? 0;
    }
    return present;
  }

  /** The common type of all cells that are not empty; json if some are nested, else text. */
  type(column: number): ColumnType {
    const present = this.present(column);
    if (this.of(column, KIND.json) > 0) {
      return "json";
    }
    for (const type of ["number", "boolean", "date"] as const) {
      if (present > 0 && this.of(column, KIND[type]) === present) {
        return type;
      }
    }
    return "text";
  }
}

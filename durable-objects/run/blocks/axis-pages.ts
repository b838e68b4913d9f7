import type { AxisRow } from "../../../src/engine/drive/run-rows.ts";
import { CELL_STATUSES } from "../../../src/engine/step/run-state.ts";
import type { PartRows } from "./part-rows.ts";

/** Number of elements of a scope whose enumerated items share one row. */
const PAGE_PARENTS = 256;
const DIGITS = 5;

type Text = readonly [
  parent: number,
  status: number,
  count: number,
  failure?: AxisRow["failure"],
  execution?: string,
  saved?: number,
];

/** Items that enumerators opened, in rows `a.<axis>.<page>`. */
export class AxisPages {
  readonly #parts: PartRows;

  constructor(parts: PartRows) {
    this.#parts = parts;
  }

  /** In the order of the parents. */
  of(axis: number): AxisRow[] {
    return this.#parts
      .between(`a.${axis}.`, `a.${axis}/`)
      .flatMap(([, page]) => JSON.parse(page) as Text[])
      .map(([parent, status, count, failure = null, execution, milliCredits = 0]) => ({
        axis,
        parent,
        status: CELL_STATUSES[status] ?? "failed",
        count,
        failure,
        ...(execution !== undefined && { reused: { execution, milliCredits } }),
      }))
      .toSorted((a, b) => a.parent - b.parent);
  }

  add(rows: readonly AxisRow[]): void {
    for (const [key, added] of Map.groupBy(rows, keyOf)) {
      const known = this.#parts.get(key);
      const page = known === undefined ? [] : (JSON.parse(known) as Text[]);
      const texts = added.map(({ parent, status, count, failure, reused }): Text => {
        const text = [parent, CELL_STATUSES.indexOf(status), count] as const;
        if (reused !== undefined) {
          return [...text, failure, reused.execution, reused.milliCredits];
        }
        return failure === null ? text : [...text, failure];
      });
      this.#parts.put(key, JSON.stringify([...page, ...texts]));
    }
  }
}

function keyOf({ axis, parent }: AxisRow): string {
  return `a.${axis}.${String(Math.floor(parent / PAGE_PARENTS)).padStart(DIGITS, "0")}`;
}

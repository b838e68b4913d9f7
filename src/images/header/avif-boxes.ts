import { LIMITS } from "../../lib/limits/limits-table.ts";
import { unreadableImage } from "../image-errors.ts";

const BOXES_MAX = LIMITS.avif_boxes.value;

/** A box of an AVIF: the place of its content in the file. */
export interface Box {
  readonly type: string;
  readonly start: number;
  readonly end: number;
}

/** The number of boxes and entries that a file may still have. */
export interface BoxBudget {
  boxes: number;
}

export const boxBudget = (): BoxBudget => ({ boxes: BOXES_MAX });

/** Counts boxes or entries of tables. Throws NodeError `IMAGE_UNREADABLE`. */
export function countBoxes(budget: BoxBudget, count = 1): void {
  budget.boxes -= count;
  if (budget.boxes < 0) {
    throw unreadableImage(`is an AVIF with more than ${BOXES_MAX} boxes. Save it as AVIF again.`);
  }
}

/** The first box of a type. */
export function find(list: readonly Box[], type: string): Box | undefined {
  return list.find((box) => box.type === type);
}

/** The boxes between two places of the file. Throws NodeError `IMAGE_UNREADABLE`. */
export function boxes(view: DataView, start: number, end: number, budget: BoxBudget): Box[] {
  const found: Box[] = [];
  for (let at = start; at < end;) {
    countBoxes(budget);
    const size = at + 8 <= end ? view.getUint32(at) : Infinity;
    const isLong = size === 1 && at + 16 <= end;
    const head = isLong ? 16 : 8;
    const whole = isLong
      ? Number(view.getBigUint64(at + 8))
      : size === 0 && at + 8 <= end
        ? end - at
        : size;
    if (whole < head || at + whole > end) {
      throw unreadableImage(
        `is cut short or damaged: the AVIF box at byte ${at} does not fit into the file. Send it whole.`,
      );
    }
    found.push({ type: ascii(view, at + 4), start: at + head, end: at + whole });
    at += whole;
  }
  return found;
}

/** Four characters. */
export function ascii(view: DataView, at: number): string {
  return String.fromCharCode(...[0, 1, 2, 3].map((i) => view.getUint8(at + i)));
}

/** What an item that is a transparency plane has as a property. */
const ALPHA = "urn:mpeg:mpegB:cicp:systems:auxiliary:alpha";

/** Whether this property makes its item a transparency plane. */
export function isAlphaBox(view: DataView, { type, start, end }: Box): boolean {
  const length = Math.max(0, Math.min(end - start - 4, ALPHA.length));
  const name = Array.from({ length }, (_, i) => view.getUint8(start + 4 + i));
  return type === "auxC" && String.fromCharCode(...name) === ALPHA;
}

/** The number of the item that is shown. */
export function mainItem(view: DataView, { start, end }: Box): number {
  const isWide = end - start >= 8 && view.getUint8(start) > 0;
  return isWide ? view.getUint32(start + 4) : end - start >= 6 ? view.getUint16(start + 4) : 0;
}

/** Counts the entries of a box `ipma`, which is searched for each item. Throws NodeError `IMAGE_UNREADABLE`. */
export function countAssociations(view: DataView, ipma: Box | undefined, budget: BoxBudget): void {
  if (ipma !== undefined && ipma.end - ipma.start >= 8) {
    countBoxes(budget, view.getUint32(ipma.start + 4));
  }
}

/** 1-based numbers of an item's properties, in order. Entries outside of the box are omitted. */
export function associated(view: DataView, { start, end }: Box, item: number): number[] {
  if (end - start < 8) {
    return [];
  }
  const hasWideIds = view.getUint8(start) > 0;
  const isWide = (view.getUint8(start + 3) & 1) === 1;
  const idBytes = hasWideIds ? 4 : 2;
  const entries = view.getUint32(start + 4);
  for (let at = start + 8, i = 0; i < entries && at + idBytes + 1 <= end; i++) {
    const id = hasWideIds ? view.getUint32(at) : view.getUint16(at);
    const count = view.getUint8(at + idBytes);
    at += idBytes + 1;
    const step = isWide ? 2 : 1;
    if (id === item) {
      const indexes: number[] = [];
      for (let k = 0; k < count && at + step <= end; k++, at += step) {
        indexes.push(isWide ? view.getUint16(at) & 0x7fff : view.getUint8(at) & 0x7f);
      }
      return indexes;
    }
    at += count * step;
  }
  return [];
}

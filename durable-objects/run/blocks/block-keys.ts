/** Keys of the rows of blocks; see `block-rows.ts`. */

export const BLOCK_ELEMENTS = 32;

const DIGITS = 7;

export function numberOf(element: number): number {
  return Math.floor(element / BLOCK_ELEMENTS);
}

/** Key of an element's cell and task within its block. A number, because texts would take more memory than the cells. */
export function slotOf(node: number, element: number): number {
  return node * BLOCK_ELEMENTS + (element % BLOCK_ELEMENTS);
}

/** Key of an outcome with a separate row. */
export function outcomeKey(node: number, element: number): string {
  return `o.${node}.${element}`;
}

export function blockKey(group: number, number: number): string {
  return `b.${group}.${String(number).padStart(DIGITS, "0")}`;
}

export function sealedKey(block: string, page: number): string {
  return `${block}.${String(page).padStart(4, "0")}`;
}

/** `piece`: its position in the cell's tail; omitted for the first. */
export function valueKey(node: number, element: number, piece: number): string {
  return piece === 0 ? `v.${node}.${element}` : `v.${node}.${element}.${piece}`;
}

export function isValueKeyOf(row: string, node: number, element: number): boolean {
  const key = valueKey(node, element, 0);
  return row === key || row.startsWith(`${key}.`);
}

const A = 65;
export const SHEET_COLUMNS_MAX = 16_384;
export const SHEET_ROWS_MAX = 1_048_576;

/** Column (from 0) of a cell reference such as `XFD7`; -1 if it is not a cell reference. */
export function columnOf(reference: string): number {
  let column = 0;
  let at = 0;
  for (; at < reference.length; at++) {
    const code = reference.charCodeAt(at);
    if (code < A || code > A + 25) {
      break;
    }
    column = column * 26 + code - A + 1;
    if (column > SHEET_COLUMNS_MAX) {
      return -1;
    }
  }
  return at === 0 || at === reference.length ? -1 : column - 1;
}

/** `A` for 0, `AA` for 26. */
export function columnName(column: number): string {
  let name = "";
  for (let rest = column + 1; rest > 0; rest = Math.floor((rest - 1) / 26)) {
    name = String.fromCharCode(A + ((rest - 1) % 26)) + name;
  }
  return name;
}

/**
 * Undoes a row's filter in place (PNG §9). `above` is the row before, unfiltered, zeros before the
 * first; `back` is how many bytes a pixel has, at least 1. Answers false for a filter there is not.
 */
export function unfilterRow(
  filter: number,
  row: Uint8Array,
  above: Uint8Array,
  back: number,
): boolean {
  const { length } = row;
  switch (filter) {
    case 0:
      return true;
    case 1:
      for (let i = back; i < length; i++) {
        row[i] = (row[i] as number) + (row[i - back] as number);
      }
      return true;
    case 2:
      for (let i = 0; i < length; i++) {
        row[i] = (row[i] as number) + (above[i] as number);
      }
      return true;
    case 3:
      for (let i = 0; i < length; i++) {
        const left = i < back ? 0 : (row[i - back] as number);
        row[i] = (row[i] as number) + ((left + (above[i] as number)) >> 1);
      }
      return true;
    case 4:
      for (let i = 0; i < length; i++) {
        const a = i < back ? 0 : (row[i - back] as number);
        const b = above[i] as number;
        const c = i < back ? 0 : (above[i - back] as number);
        const pa = Math.abs(b - c);
        const pb = Math.abs(a - c);
        const pc = Math.abs(a + b - 2 * c);
        row[i] = (row[i] as number) + (pa <= pb && pa <= pc ? a : pb <= pc ? b : c);
      }
      return true;
    default:
      return false;
  }
}

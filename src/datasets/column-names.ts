import { foldCase } from "../lib/fold-case.ts";
import { DatasetError, shown } from "./dataset-error.ts";

/**
 * Column names from a header row: trimmed, empty ones named by their place. Throws DatasetError
 * `duplicate_column` where two are equal without regard to case (spec 1 §4.4).
 */
export function columnNames(header: readonly string[]): readonly string[] {
  const places = new Map<string, number>();
  return header.map((given, index) => {
    const name = given.trim() === "" ? `column_${index + 1}` : given.trim();
    const folded = foldCase(name);
    const first = places.get(folded);
    if (first !== undefined) {
      throw new DatasetError(
        "duplicate_column",
        `Columns ${first + 1} and ${index + 1} are both named ${shown(name)} (names are compared without case and outer spaces). Rename one of them.`,
      );
    }
    places.set(folded, index);
    return name;
  });
}

import { foldCase } from "../lib/fold-case.ts";
import { DatasetError, shown } from "./dataset-error.ts";

/**
 * Column names from a header row: trimmed; empty ones are named by their position. Throws
 * DatasetError `duplicate_column` if two are equal ignoring case
 * (docs/contract/datasets.md#reading-rules).
 */
export function columnNames(header: readonly string[]): readonly string[] {
  const places = new Map<string, number>();
  for (const [index, given] of header.entries()) {
    const name = given.trim();
    const folded = foldCase(name);
    const first = places.get(folded);
    if (first !== undefined && name !== "") {
      throw new DatasetError(
        "duplicate_column",
        `Columns ${first + 1} and ${index + 1} are both named ${shown(name)} (names are compared without case and outer spaces). Rename one of them.`,
      );
    }
    places.set(folded, index);
  }
  return header.map((given, index) => given.trim() || freeName(`column_${index + 1}`, places));
}

/**
 * Returns a name that no other column has, and reserves it: another column may already have the
 * name of this position.
 */
function freeName(wanted: string, places: Map<string, number>): string {
  let name = wanted;
  for (let count = 2; places.has(name); count++) {
    name = `${wanted}_${count}`;
  }
  places.set(name, -1);
  return name;
}

import type { FieldTree } from "../document/field-tree.ts";
import { pathOf } from "../document/place.ts";
import type { ProblemList } from "../document/problem-list.ts";
import { checkFieldValue } from "./check-values.ts";

/** Default values are values of their fields. After the whole tree is known: those of lists have keys of items. */
export function checkDefaults(tree: FieldTree, problems: ProblemList): void {
  for (const { field, place } of tree.defaults()) {
    const value = field.defaultValue;
    if (value === undefined || problems.isFull) {
      continue;
    }
    for (const problem of checkFieldValue(field, value, pathOf(place))) {
      problems.addAt("invalid_value", problem.field, problem.message);
    }
  }
}

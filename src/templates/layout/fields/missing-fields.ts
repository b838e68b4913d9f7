import type { FieldTable } from "./field-table.ts";
import type { RenderProblem } from "../options.ts";
import { itemsOf, type Scope } from "./scope.ts";

/** More are not listed: the caller sees enough to repair them. */
const PROBLEMS_MAX = 1000;

/** Required fields that have neither a value nor a default, in the document and in every item. */
export function findMissingFields(fields: FieldTable, scope: Scope): RenderProblem[] {
  const problems: RenderProblem[] = [];
  visit(fields, scope, problems);
  return problems;
}

function visit(fields: FieldTable, scope: Scope, problems: RenderProblem[]): void {
  for (const field of fields.all()) {
    if (problems.length >= PROBLEMS_MAX) {
      return;
    }
    const value = scope.read(field);
    if (value === undefined && field.required) {
      const path = scope.pathOf(field);
      problems.push({
        code: "MISSING_REQUIRED_FIELD",
        field: path,
        elementId: "",
        message: `The required field ${path} has no value. Send one, or give the field a default.`,
      });
    }
    const items = fields.itemsOf(field.code);
    if (field.placeholderType === "list" && items !== undefined) {
      for (const [index, item] of itemsOf(value).entries()) {
        visit(items, scope.ofItem(field.code, index, items, item), problems);
      }
    }
  }
}

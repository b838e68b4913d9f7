import { isJsonObject, type JsonValue } from "../../lib/json/exact-json.ts";
import { CONDITION_DEPTH_MAX, CONDITION_PARTS_MAX } from "./condition.ts";
import { within, type Place } from "./place.ts";
import type { ProblemList } from "./problem-list.ts";

export type FindField = (code: string) => {
  readonly isKnown: boolean;
  readonly isListKey: boolean;
};

const WITHOUT_VALUE: ReadonlySet<JsonValue | undefined> = new Set([
  "is_empty",
  "is_not_empty",
  "is_true",
  "is_false",
]);
const JOINS = ["all", "any"] as const;

/**
 * The depth and size of a condition, the fields that it reads and the values that it compares with. `find` is null
 * where the fields are not known: in a component by itself.
 */
export function checkCondition(
  condition: JsonValue | undefined,
  place: Place,
  find: FindField | null,
  problems: ProblemList,
): void {
  let parts = 0;
  const left: {
    readonly part: JsonValue | undefined;
    readonly at: Place;
    readonly depth: number;
  }[] = [{ part: condition, at: place, depth: 1 }];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const { part, at, depth } = next;
    if (!isJsonObject(part)) {
      continue;
    }
    parts += 1;
    if (depth > CONDITION_DEPTH_MAX || parts > CONDITION_PARTS_MAX) {
      problems.add(
        "DESIGN_CONDITION_INVALID",
        place,
        depth > CONDITION_DEPTH_MAX
          ? `A condition nests at most ${CONDITION_DEPTH_MAX} deep. Flatten it.`
          : `A condition has at most ${CONDITION_PARTS_MAX} parts. Shorten it; "in" compares with several values at once.`,
      );
      return;
    }
    for (const join of JOINS) {
      const list = part[join];
      if (Array.isArray(list)) {
        for (let i = list.length - 1; i >= 0; i -= 1) {
          left.push({
            part: list[i] as JsonValue,
            at: within(at, join, i) as Place,
            depth: depth + 1,
          });
        }
      }
    }
    if (part["not"] !== undefined) {
      left.push({ part: part["not"], at: { parent: at, key: "not" }, depth: depth + 1 });
    }
    const { field } = part;
    if (typeof field === "string") {
      checkComparison(part, field, at, find, problems);
    }
  }
}

function checkComparison(
  part: { readonly [key: string]: JsonValue },
  field: string,
  at: Place,
  find: FindField | null,
  problems: ProblemList,
): void {
  const { operator, value } = part;
  if (typeof operator === "string" && !WITHOUT_VALUE.has(operator) && value === undefined) {
    problems.add(
      "DESIGN_CONDITION_INVALID",
      { parent: at, key: "value" },
      `Is missing. "${operator.slice(0, 20)}" compares with a value: add it.`,
    );
  } else if (operator === "in" && value !== undefined && !Array.isArray(value)) {
    problems.add(
      "DESIGN_CONDITION_INVALID",
      { parent: at, key: "value" },
      'Must be a list of values: "in" is true if the field equals one of them.',
    );
  }
  if (find === null) {
    return;
  }
  const { isKnown, isListKey } = find(field);
  if (!isKnown) {
    problems.add(
      isListKey ? "list_key_outside_list" : "unknown_field",
      { parent: at, key: "field" },
      isListKey
        ? "Is a key of a list's items, and this element is outside of that list. Move it into the list, or use a field of the template."
        : "The document has no field with this code. Add the field, or correct the code.",
    );
  }
}

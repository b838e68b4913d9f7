import type { Limits } from "./limit.ts";

/** Expressions: a part of the table of limits. */
export const EXPRESSION_LIMITS = {
  expression: {
    name: "Number formula or text formula",
    value: 10_000,
    unit: "characters",
    reason: "Parsed at each publish.",
  },
  expression_digits: {
    name: "Significant digits of a calculated number",
    value: 34,
    unit: "digits",
    reason: "Those of IEEE 754 decimal128.",
  },
  json_path: {
    name: "JSON path",
    value: 1_000,
    unit: "characters",
    reason: "Longer than paths that people write.",
  },
  pattern: {
    name: "Regular expression",
    value: 1_000,
    unit: "characters",
    reason: "Matched in linear time, with memory that grows with its length.",
  },
  json_schema: {
    name: "JSON Schema",
    value: 200_000,
    unit: "characters",
    reason: "Compiled at each publish.",
  },
  expression_depth: {
    name: "Nesting of a number formula",
    value: 100,
    unit: "count",
    reason: "Parser and evaluator use the stack.",
  },
  expression_operations: {
    name: "Steps of evaluating a number formula",
    value: 1_000_000,
    unit: "count",
    reason: "About a second at worst.",
  },
  expression_exponent: {
    name: "Power of ten of a calculated number, either way",
    value: 1_000,
    unit: "count",
    reason: "One operation stays cheap, whatever the operands are.",
  },
  json_schema_operations: {
    name: "Keywords of a JSON Schema that are evaluated on one value",
    value: 200_000,
    unit: "count",
    reason: "A few `$ref` that double can ask for 2^40.",
  },
  json_schema_depth: {
    name: "Nesting of a JSON Schema and of its evaluation",
    value: 64,
    unit: "count",
    reason: "Validation uses the stack.",
  },
  json_path_visits: {
    name: "Elements that a JSON path visits",
    value: 1_000_000,
    unit: "count",
    reason: "Bounds `[*][*][*]` on a large value.",
  },
  joined_levels: {
    name: "Levels of nesting that a field name reaches into",
    value: 8,
    unit: "count",
    reason: "Deeper values are read by a JSON path.",
  },
  formula_text: {
    name: "Text that one text formula builds up",
    value: 20_000_000,
    unit: "characters",
    reason: "Stops a chain of filters that doubles a text.",
  },
  computed_columns: {
    name: "Columns that one node adds, changes or selects",
    value: 200,
    unit: "count",
    reason: "Each is evaluated for each row.",
  },
  null_values: {
    name: "Texts that count as an empty cell",
    value: 20,
    unit: "count",
    reason: "Each cell is compared with all of them.",
  },
  null_value: {
    name: "One of those texts",
    value: 200,
    unit: "characters",
    reason: "Cells in use have `N/A` or `-`.",
  },
} as const satisfies Limits;

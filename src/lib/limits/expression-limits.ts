import type { Limits } from "./limit.ts";

/** Expressions: a part of the table of limits. */
export const EXPRESSION_LIMITS = {
  expression: {
    name: "Number formula or text formula",
    value: 10_000,
    unit: "characters",
    reason: "Formulas that people write are shorter, and each is parsed at each publish.",
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
    reason: "Paths that people write are shorter.",
  },
  pattern: {
    name: "Regular expression",
    value: 1_000,
    unit: "characters",
    reason:
      "Patterns that people write are shorter, and matching needs memory that grows with the length.",
  },
  json_schema: {
    name: "JSON Schema",
    value: 200_000,
    unit: "characters",
    reason: "A schema is compiled at each publish, within the time of the request.",
  },
  expression_depth: {
    name: "Nesting of a number formula",
    value: 100,
    unit: "count",
    reason: "Parser and evaluator call themselves at each level, and the stack is limited.",
  },
  expression_operations: {
    name: "Steps of evaluating a number formula",
    value: 1_000_000,
    unit: "count",
    reason: "This many steps take about a second at worst.",
  },
  expression_exponent: {
    name: "Power of ten of a calculated number, either way",
    value: 1_000,
    unit: "count",
    reason: "One operation stays cheap, whatever its operands are.",
  },
  json_schema_operations: {
    name: "Keywords of a JSON Schema that are evaluated on one value, and parts of that value",
    value: 200_000,
    unit: "count",
    reason:
      "A few `$ref` that each double the work could ask for 2^40 evaluations, and the copy of the value that is checked takes 80 to 200 bytes for each part.",
  },
  json_schema_depth: {
    name: "Nesting of a JSON Schema and of its evaluation",
    value: 64,
    unit: "count",
    reason: "Validation calls itself at each level, and the stack is limited.",
  },
  json_path_visits: {
    name: "Elements that a JSON path visits",
    value: 1_000_000,
    unit: "count",
    reason: "A path such as `[*][*][*]` visits each element of a large value many times.",
  },
  joined_levels: {
    name: "Levels of nesting that a field name reaches into",
    value: 8,
    unit: "count",
    reason: "Longer names are hard to read; a JSON path reads deeper values.",
  },
  formula_text: {
    name: "Text that one text formula builds up",
    value: 20_000_000,
    unit: "characters",
    reason: "A text of 16 MiB fits, and a chain of filters that doubles a text is stopped.",
  },
  computed_columns: {
    name: "Columns that one node adds, changes or selects",
    value: 200,
    unit: "count",
    reason: "Each of these columns is evaluated for each row.",
  },
  null_values: {
    name: "Texts that count as an empty cell",
    value: 20,
    unit: "count",
    reason: "Each cell is compared with all of them.",
  },
  null_value: {
    name: "A text that counts as an empty cell",
    value: 200,
    unit: "characters",
    reason: "Markers in use, such as `N/A` or `-`, are a few characters long.",
  },
} as const satisfies Limits;

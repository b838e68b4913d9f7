import * as z from "zod";
import { jsonValue, RULES, text } from "./scalars.ts";

export const OPERATORS = [
  "equals",
  "not_equals",
  "gt",
  "gte",
  "lt",
  "lte",
  "contains",
  "in",
  "is_empty",
  "is_not_empty",
  "is_true",
  "is_false",
] as const;

const FieldCondition = z.strictObject({
  field: text,
  operator: z.enum(OPERATORS),
  value: jsonValue.optional(),
});
export type FieldCondition = z.output<typeof FieldCondition>;

/** An element whose condition is false is not resolved at all. */
export type Condition =
  | FieldCondition
  | { all: Condition[] }
  | { any: Condition[] }
  | { not: Condition };

export const Condition: z.ZodType<Condition> = z
  .lazy(() =>
    z.union([
      FieldCondition,
      z.strictObject({ all: z.array(Condition) }),
      z.strictObject({ any: z.array(Condition) }),
      z.strictObject({ not: Condition }),
    ]),
  )
  .meta({ id: "Condition" });
RULES.add(Condition, { code: "DESIGN_CONDITION_INVALID" });

/** Levels of `all`, `any` and `not`, the innermost comparison included. */
export const CONDITION_DEPTH_MAX = 8;
/** Comparisons, `all`, `any` and `not` in one condition. */
export const CONDITION_PARTS_MAX = 50;

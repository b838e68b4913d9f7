import * as z from "zod";
import { ExactNumber, isJsonNumber } from "../lib/json/exact-json.ts";
import { LIMITS } from "../lib/limits/limits-table.ts";

export const QUALITY_POLICY_REF = "svc.quality-policy/v1";

const id = z.string().min(1).max(LIMITS.identifier.value);

const warningsMax = z
  .custom<number | ExactNumber>((value) => {
    const plain = value instanceof ExactNumber ? value.toNumber() : value;
    return isJsonNumber(value) && Number.isInteger(plain) && Number(plain) >= 0;
  }, "Must be a whole number of 0 or more.")
  .transform((value) => (value instanceof ExactNumber ? value.toNumber() : value))
  .meta({ type: "integer", minimum: 0 });

/** The requirements of a gate for a quality check. */
export const QualityPolicy = z.strictObject({
  schema: z.literal(QUALITY_POLICY_REF).default(QUALITY_POLICY_REF),
  require_passed: z.boolean().default(true),
  max_warnings: warningsMax.optional(),
  required_checks: z.array(id).max(LIMITS.quality_checks.value).default([]),
  ignored_checks: z.array(id).max(LIMITS.quality_checks.value).default([]),
});
export type QualityPolicy = z.infer<typeof QualityPolicy>;

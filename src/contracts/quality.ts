import { z } from "zod";
import { ExactNumber, isJsonNumber, type JsonValue } from "../lib/exact-json.ts";

export const QUALITY_CHECK_REF = "svc.quality-check/v1";
export const QUALITY_POLICY_REF = "svc.quality-policy/v1";

const json = z.custom<JsonValue>((value) => value !== undefined);
const id = z.string().min(1).max(200);

/** One report of what was checked and how it went (nodes "Quality contracts"). */
export const QualityCheck = z.object({
  schema: z.literal(QUALITY_CHECK_REF),
  subject: z.string(),
  passed: z.boolean(),
  checks: z.array(
    z.object({
      id,
      passed: z.boolean(),
      severity: z.enum(["error", "warning"]),
      measured: json.optional(),
      expected: json.optional(),
      message: z.string(),
    }),
  ),
});
export type QualityCheck = z.infer<typeof QualityCheck>;

const warningsMax = z
  .custom<number | ExactNumber>((value) => {
    const plain = value instanceof ExactNumber ? value.toNumber() : value;
    return isJsonNumber(value) && Number.isInteger(plain) && Number(plain) >= 0;
  }, "Must be a whole number from 0 on.")
  .transform((value) => (value instanceof ExactNumber ? value.toNumber() : value))
  .meta({ type: "integer", minimum: 0 });

/** What a gate demands of a quality check. */
export const QualityPolicy = z.strictObject({
  schema: z.literal(QUALITY_POLICY_REF).default(QUALITY_POLICY_REF),
  require_passed: z.boolean().default(true),
  max_warnings: warningsMax.optional(),
  required_checks: z.array(id).max(500).default([]),
  ignored_checks: z.array(id).max(500).default([]),
});
export type QualityPolicy = z.infer<typeof QualityPolicy>;

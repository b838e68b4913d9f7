import * as z from "zod";
import type { JsonValue } from "../lib/json/exact-json.ts";

/** One check (`svc.quality-check/v1`). */
export const QualityCheckItem = z.strictObject({
  id: z.string(),
  passed: z.boolean(),
  severity: z.enum(["error", "warning"]),
  measured: z.custom<JsonValue>().optional(),
  expected: z.custom<JsonValue>().optional(),
  message: z.string(),
});
export type QualityCheckItem = z.infer<typeof QualityCheckItem>;

/** The result of nodes that check their own work, read by quality gates. */
export const QualityCheck = z.strictObject({
  schema: z.literal("svc.quality-check/v1"),
  /** What was checked, in words. */
  subject: z.string(),
  /** Whether every check of severity `error` passed. */
  passed: z.boolean(),
  checks: z.array(QualityCheckItem),
});
export type QualityCheck = z.infer<typeof QualityCheck>;

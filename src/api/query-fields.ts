import * as z from "zod";
import { LIMITS } from "../lib/limits/limits-table.ts";

const DIGITS = /^-?\d{1,15}$/;

/** An integer in a query, parsed from text; a value out of range is a field error that names the range. */
export function integerField(range: { min: number; max: number }) {
  const rule = `an integer from ${range.min} to ${range.max}`;
  return z
    .string()
    .refine(
      (text) => DIGITS.test(text) && Number(text) >= range.min && Number(text) <= range.max,
      `Must be ${rule}.`,
    )
    .transform(Number)
    .meta({
      description: `Give ${rule}.`,
      type: "integer",
      minimum: range.min,
      maximum: range.max,
    });
}

/** `limit` of every list (docs/contract/conventions.md#lists). */
export function limitField(defaultLimit = 25) {
  return integerField({ min: 1, max: LIMITS.page_items.value }).default(defaultLimit);
}

/** `starting_after` of every list: the `next_cursor` of the previous page. */
export const cursorField = z
  .string()
  .max(LIMITS.cursor.value)
  .optional()
  .describe("`next_cursor` of the previous page.");

/**
 * One or several words from a fixed set: the parameter may be repeated. An unknown word is a field error that lists the
 * set.
 */
export function wordsField<const W extends string>(words: readonly W[], description: string) {
  const known = (text: unknown): text is W => (words as readonly unknown[]).includes(text);
  return z
    .unknown()
    .transform((given, ctx): W[] => {
      const texts: unknown[] = Array.isArray(given) ? given : [given];
      if (!texts.every(known)) {
        ctx.addIssue({ code: "custom", message: `Must be one of: ${words.join(", ")}.` });
        return z.NEVER;
      }
      return texts;
    })
    .meta({ description, type: "array", items: { type: "string", enum: [...words] } });
}

const Time = z.iso.datetime({ offset: true });
const Day = z.iso.date();

/** A time in a query: ISO 8601 to milliseconds since 1970; a date means its midnight in UTC. */
export const timeField = z
  .string()
  .refine(
    (text) => Time.safeParse(text).success || Day.safeParse(text).success,
    "Must be a date like 2026-01-31, or an ISO 8601 time with a zone like 2026-01-31T12:00:00Z.",
  )
  .transform((text) => Date.parse(text))
  .meta({
    description: "A time with a zone, or a date: midnight UTC.",
    examples: ["2026-01-31"],
    anyOf: [{ format: "date-time" }, { format: "date" }],
  });

/** The filters of a list of things that have a name and tags. `things` is their plural: "workflows". */
export function nameAndTagFields(things: string) {
  return {
    name: z
      .string()
      .max(LIMITS.name.value)
      .optional()
      .describe(`Only ${things} whose name contains this text. Case is ignored.`),
    tag: z
      .string()
      .max(LIMITS.filter_text.value)
      .optional()
      .describe(`Only ${things} with this tag.`),
  };
}

import * as z from "zod";
import { LIMITS } from "../lib/limits/limits-table.ts";

const NAME_CHARS_MAX = LIMITS.name.value;

/** A name given by a person: trimmed, not empty, whole characters, without control characters. */
export const Name = z
  .string()
  .trim()
  .min(1, "Must not be empty")
  .max(NAME_CHARS_MAX)
  .refine((text) => text.isWellFormed(), "Must not contain half a surrogate pair")
  // oxlint-disable-next-line no-control-regex -- control characters are rejected on purpose
  .refine((text) => !/[\u0000-\u001f\u007f]/.test(text), "Must not contain control characters");

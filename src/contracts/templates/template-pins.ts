import * as z from "zod";
import type { ReferencedField } from "./template-reference.ts";

const FieldOfPin = z.object({
  code: z.string(),
  type: z.enum(["text", "number", "date", "url", "image", "color", "boolean", "list"]),
  required: z.boolean(),
  has_default: z.boolean(),
}) satisfies z.ZodType<ReferencedField>;

/** Which template a definition names, frozen when it was saved or published. */
const TemplatePin = z.object({
  template_id: z.string(),
  /** The reference's revision: `3`, `3+`, `current`, or null for the draft. */
  named: z.string().nullable(),
  /** The revision that was pinned; null for the draft, as the next. */
  revision: z.int().nullable(),
  version_id: z.string().nullable(),
  /** `sha256:` and hex digits, as the next. Those of a draft are of the time of the publication. */
  content_hash: z.string(),
  contract_hash: z.string(),
  /** Of a version: the fields whose ports are connected. */
  fields: z.array(FieldOfPin),
});
export type TemplatePin = z.infer<typeof TemplatePin>;

const StoredPins = z.object({ v: z.literal(1), pins: z.array(TemplatePin) });

/** The text to store; null for none. */
export function storedPins(pins: readonly TemplatePin[]): string | null {
  return pins.length === 0 ? null : JSON.stringify({ v: 1, pins });
}

/** The pins of a stored text. Throws for one of another version. */
export function parsePins(text: string | null): readonly TemplatePin[] {
  return text === null ? [] : StoredPins.parse(JSON.parse(text)).pins;
}

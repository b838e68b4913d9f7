/** What the routes of edit commands have in common (docs/contract/templates.md#edits). */
import * as z from "zod";
import { isJsonObject, type JsonValue } from "../../lib/exact-json.ts";
import type { EntryName } from "../../domain/templates/edit-draft.ts";
import { guidField } from "../guid-field.ts";
import { templateParams } from "./template-route.ts";

const index = z
  .int()
  .min(0)
  .optional()
  .describe("Position from 0, from the back to the front; the last one when left out.");
const OTHERS = "The other properties are those of the document in snake_case.";

const parent = guidField("a group, region or folder").nullable().optional();

/** The envelopes of commands; the domain reads the properties beside them. */
export const SHEET_BODY = z.looseObject({ index }).describe(OTHERS);
export const NEW_ELEMENT_BODY = z
  .looseObject({
    page_id: guidField("a page or master page"),
    parent_id: parent.describe("The group, region or folder to put it in."),
    index,
  })
  .describe(OTHERS);
export const ELEMENT_BODY = z
  .looseObject({
    page_id: guidField("a page or master page").optional(),
    parent_id: parent.describe("Moves the element; null is the page itself."),
    index,
  })
  .describe(OTHERS);
const values = z.record(z.string(), z.unknown()).describe("Values by field code.");
export const NEW_SAMPLE_SET_BODY = z.looseObject({ name: z.string(), values });
export const SAMPLE_SET_BODY = z.looseObject({
  name: z.string().optional(),
  values: values.optional(),
});

const ENVELOPE = ["page_id", "parent_id", "index"] as const;

/** The properties of a command: its body without the envelope, with the digits of its numbers. */
export function propertiesOf(
  body: JsonValue,
  name: EntryName,
): { readonly [property: string]: JsonValue } {
  const envelope: readonly string[] =
    name === "element" ? ENVELOPE : name === "sample_set" ? [] : ["index"];
  return Object.fromEntries(
    Object.entries(isJsonObject(body) ? body : {}).filter(([key]) => !envelope.includes(key)),
  );
}

export const pageParams = templateParams.extend({ page_id: guidField("a page") });
export const masterParams = templateParams.extend({ master_id: guidField("a master page") });
export const elementParams = templateParams.extend({ element_id: guidField("an element") });
export const sampleSetParams = templateParams.extend({
  sample_set_id: guidField("a sample set", "invalid_sample_set_id"),
});

/** What the routes of edit commands have in common (docs/contract/templates.md#edits). */
import * as z from "zod";
import { isJsonObject, type JsonValue } from "../../lib/json/exact-json.ts";
import { editDraft, type EntryName } from "../../domain/templates/edit-draft.ts";
import type { CallerContext } from "../../platform/context.ts";
import type { RawReply } from "../define-endpoint.ts";
import type { ResponseSpec } from "../endpoint-declaration.ts";
import { guidField } from "../guid-field.ts";
import {
  CONTENT_ERRORS,
  DRAFT_ETAG,
  DRAFT_WRITE,
  draftReply,
  draftWrite,
  templateParams,
} from "./template-route.ts";

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
function propertiesOf(
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

type EditInput = Parameters<typeof draftWrite>[0] & {
  readonly params: { readonly id: string };
  readonly exactBody: () => JsonValue;
};
type Command = Parameters<typeof editDraft>[3]["command"];
type PropertiesCommand = Extract<Command, { readonly properties: unknown }>;
/** A command without its properties, which are read from the body. */
type Envelope<C> = C extends unknown ? Omit<C, "properties"> : never;

const { tag, access, createsOnce, inOrder, headers, errors } = DRAFT_WRITE;

/** The parts that the declarations of all edit commands share. */
export const EDIT = { tag, access, createsOnce } as const;
/** Those of their requests. */
export const EDIT_REQUEST = { headers, inOrder } as const;
/** Codes of the commands with a body. */
export const EDIT_ERRORS = [...errors, ...CONTENT_ERRORS] as const;
/** Codes of the commands that remove something. */
export const REMOVE_ERRORS = errors;
export const REMOVED = {
  responses: { 204: { description: "Removed", headers: DRAFT_ETAG } },
  description: "What the rest of the document refers to cannot be removed.",
} as const;

/** The response with what was made or changed. */
export function edited<const B extends NonNullable<ResponseSpec["body"]>>(
  description: string,
  body: B,
) {
  return { description, body, headers: DRAFT_ETAG } as const;
}

/** Applies a command whose properties are the request's body. Throws as `editDraft`. */
export async function editEntry(
  ctx: CallerContext,
  input: EditInput,
  name: EntryName,
  envelope: Envelope<PropertiesCommand>,
): Promise<RawReply> {
  // `envelope` is a command but for its properties; the spread of a union of types loses which one.
  const command = { ...envelope, properties: propertiesOf(input.exactBody(), name) } as Command;
  return draftReply(await editDraft(ctx, input.params.id, draftWrite(input), { name, command }));
}

/** Removes an entry by its id. Throws as `editDraft`. */
export async function removeEntry(
  ctx: CallerContext,
  input: Omit<EditInput, "exactBody">,
  name: EntryName,
  id: string,
): Promise<RawReply> {
  const command = { kind: "remove", target: name, id } as const;
  return draftReply(await editDraft(ctx, input.params.id, draftWrite(input), { name, command }));
}

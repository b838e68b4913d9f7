import * as z from "zod";
import { TemplateContract } from "./design-template.ts";
import { listOf } from "../list.ts";
import { Name } from "../name.ts";
import { timestampField } from "../timestamp.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";

const importsMax = z
  .int()
  .nullable()
  .describe("How often the template can be imported; null for any number.");

/** A link to one revision of a template (docs/contract/templates.md#sharing). */
export const ShareLink = z
  .object({
    id: z.string().describe("Id of the link, `tsl_…`."),
    revision: z.int().describe("The revision that is shared."),
    token: z
      .string()
      .nullable()
      .describe("Secret of the link; only in the response that makes it."),
    url: z.string().nullable().describe("Page of the link; only in the response that makes it."),
    require_sign_in: z.boolean().describe("Whether reading the shared template needs a token."),
    max_imports: importsMax,
    import_count: z.int().describe("How often it was imported."),
    expires_at: timestampField.nullable().describe("When the link ends; null for never."),
    revoked_at: timestampField
      .nullable()
      .describe("When the link was revoked; null if it was not."),
    created_at: timestampField.describe("When the link was made."),
  })
  .meta({ id: "DesignTemplateShareLink" });
export type ShareLink = z.infer<typeof ShareLink>;
export const ShareLinkList = listOf(ShareLink).meta({ id: "DesignTemplateShareLinkList" });

export const CreateShareLinkBody = z.strictObject({
  revision: z.int().min(1).optional().describe("A published revision; the latest when left out."),
  require_sign_in: z
    .boolean()
    .default(true)
    .describe("Whether reading the shared template needs a token."),
  max_imports: z
    .int()
    .min(1)
    .nullable()
    .default(null)
    .describe("How often the template can be imported; null for any number."),
  expires_at: z.iso
    .datetime({ offset: true })
    .nullable()
    .default(null)
    .describe("A time with a zone in the future; null for never."),
});
export type CreateShareLinkBody = z.output<typeof CreateShareLinkBody>;

/** What a share link shows of its template. */
export const SharedTemplate = z
  .object({
    name: z.string().describe("Name of the template."),
    description: z.string().describe("Its description; may be empty."),
    page_count: z.int().describe("Pages of the shared revision."),
    fields: TemplateContract.shape.fields,
    imports_left: z
      .int()
      .nullable()
      .describe("How often it can still be imported; null for any number."),
    expires_at: timestampField.nullable().describe("When the link ends; null for never."),
  })
  .meta({ id: "SharedDesignTemplate" });
export type SharedTemplate = z.infer<typeof SharedTemplate>;

export const ImportTemplateBody = z.strictObject({
  share_token: z
    .string()
    .min(1)
    .max(LIMITS.cursor.value)
    .describe("The token of a share link: the last part of its address."),
  name: Name.optional().describe("Name of the new template; that of the shared one when left out."),
});
export type ImportTemplateBody = z.infer<typeof ImportTemplateBody>;

/** What the routes of design templates have in common (docs/contract/templates.md#edits). */
import * as z from "zod";
import type { CreationKey } from "../../domain/idempotency/create-once.ts";
import type { DraftAnswer, DraftWrite } from "../../domain/templates/change-draft.ts";
import { idField } from "../id-field.ts";
import type { RawReply } from "../define-endpoint.ts";
import { replayHeaders } from "../replay-headers.ts";

export const TEMPLATE_TAG = "Design templates";
export const READ_TEMPLATES = { scope: "templates:read", permission: "ws:templates:read" } as const;
export const MANAGE_TEMPLATES = {
  scope: "templates:write",
  permission: "ws:templates:manage",
} as const;

export const templateParams = z.object({ id: idField("template") });

/** A path segment that the domain parses, so that the template is looked up first. */
export const revisionField = z.string().describe("A revision, from 1.");

export const JSON_TYPE = "application/json; charset=utf-8";
const ETAG = { ETag: "Identifies the draft. Send it as `If-Match` of the next change." };
export const DRAFT_ETAG = ETAG;

/** Codes of every route that names a template. */
export const TEMPLATE_ERRORS = ["invalid_id", "forbidden", "not_found"] as const;

/** The common part of a draft write's declaration; the order of its refusals is part of the contract. */
export const DRAFT_WRITE = {
  tag: TEMPLATE_TAG,
  access: MANAGE_TEMPLATES,
  createsOnce: "required",
  inOrder: true,
  headers: z.object({
    "if-match": z
      .string()
      .optional()
      .describe("The draft's ETag that was read; required. `*` overwrites the current draft."),
  }),
  errors: [...TEMPLATE_ERRORS, "archived", "precondition_required", "precondition_failed"],
} as const;

/** Besides, of writes whose body becomes part of the document. */
export const CONTENT_ERRORS = ["invalid_request", "content_invalid"] as const;

interface WriteInput {
  readonly headers: { readonly "if-match"?: string | undefined };
  readonly creation: CreationKey | undefined;
}

/** What the domain needs of a draft write besides its body. */
export function draftWrite({ headers, creation }: WriteInput): DraftWrite {
  if (creation === undefined) {
    throw new Error("A draft write is declared with createsOnce: required.");
  }
  return { creation, ifMatch: headers["if-match"] };
}

/** The response to a draft write; `body` replaces that of the answer. */
export function draftReply(
  answer: DraftAnswer,
  body: string | Uint8Array | null = answer.body,
): RawReply {
  return {
    response: new Response(body, {
      status: answer.status,
      headers: {
        ...(body !== null && { "content-type": JSON_TYPE }),
        etag: `"${answer.etag}"`,
        ...replayHeaders(answer.isReplay),
      },
    }),
  };
}

import type {
  DesignTemplate,
  DuplicateTemplateBody,
} from "../../contracts/templates/design-template.ts";
import { parseJson } from "../../lib/json/exact-json.ts";
import type { CallerContext } from "../../platform/context.ts";
import type { OnceStatements } from "../../storage/d1/idempotency-store.ts";
import { type TemplateRow, TemplateRows } from "../../storage/d1/template-rows.ts";
import { copyName } from "../copy-name.ts";
import { parseContent } from "./change-draft.ts";
import { createTemplate } from "./create-template.ts";
import { readDraft, readFile } from "./read-content.ts";
import { noSuchRevision } from "./require-template.ts";

/** A new draft with the content of a template's draft, or of one of its revisions. Throws `not_found`. */
export async function duplicateTemplate(
  ctx: CallerContext,
  source: TemplateRow,
  { revision, name }: DuplicateTemplateBody,
  once: OnceStatements | undefined,
): Promise<DesignTemplate> {
  const content =
    revision === undefined
      ? await parseContent(ctx, (await readDraft(ctx, source.id, null)).content ?? new Uint8Array())
      : parseJson(await readRevision(ctx, source, revision));
  return await createTemplate(
    ctx,
    {
      name: name ?? copyName(source.name),
      description: source.description,
      tags: source.tags,
      source: { kind: "duplicate", revision: revision ?? null },
      content,
    },
    once,
  );
}

async function readRevision(
  ctx: CallerContext,
  source: TemplateRow,
  revision: number,
): Promise<string> {
  const version = await new TemplateRows(ctx.env, ctx.principal.workspaceId).version(
    source.id,
    revision,
  );
  if (version === undefined) {
    throw noSuchRevision(source, revision);
  }
  return await readFile(ctx, version, "document");
}

import type { DesignTemplate } from "../../contracts/templates/design-template.ts";
import type { TemplateRecord } from "../../contracts/templates/template-object-api.ts";
import type { JsonValue } from "../../lib/json/exact-json.ts";
import type { CallerContext } from "../../platform/context.ts";
import { newId } from "../../platform/ids.ts";
import type { OnceStatements } from "../../storage/d1/idempotency-store.ts";
import { TemplateRows } from "../../storage/d1/template-rows.ts";
import { templateDraftObject } from "../../storage/objects/template-draft-object.ts";
import { emptyDocument, prepareDocument } from "./prepare-document.ts";
import { templateOfRecord } from "./template-view.ts";

export interface NewTemplate {
  readonly name: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly source: DesignTemplate["source"];
  /** Undefined for one empty A4 page. */
  readonly content: JsonValue | undefined;
}

/** Creates a draft. Throws `content_invalid`, and then nothing is made. */
export async function createTemplate(
  ctx: CallerContext,
  given: NewTemplate,
  once: OnceStatements | undefined,
): Promise<DesignTemplate> {
  const record = await createObject(ctx, given);
  await new TemplateRows(ctx.env, ctx.principal.workspaceId).insert(record, once);
  return templateOfRecord(record);
}

/**
 * Creates the object of a template, which exists for others once its row is inserted. An object whose row does not
 * follow forgets itself.
 */
export async function createObject(
  ctx: CallerContext,
  given: NewTemplate,
): Promise<TemplateRecord> {
  const prepared = await prepareDocument(given.content ?? emptyDocument());
  const createdAtMs = ctx.nowMs();
  const id = newId("template", createdAtMs);
  return await templateDraftObject(ctx, id).create({
    v: 1,
    id,
    workspace_id: ctx.principal.workspaceId,
    name: given.name,
    description: given.description,
    tags: given.tags,
    source: given.source,
    content: prepared.content,
    content_hash: prepared.contentHash,
    page_count: prepared.pageCount,
    created_at_ms: createdAtMs,
  });
}

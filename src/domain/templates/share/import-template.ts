import type { DesignTemplate } from "../../../contracts/templates/design-template.ts";
import type { FontReference } from "../../../contracts/files/font.ts";
import type { ImportTemplateBody } from "../../../contracts/templates/share-link.ts";
import type { TemplateRecord } from "../../../contracts/templates/template-object-api.ts";
import type { JsonValue } from "../../../lib/json/exact-json.ts";
import type { CallerContext } from "../../../platform/context.ts";
import type { OnceStatements } from "../../../storage/d1/idempotency-store.ts";
import { ShareLinkStore } from "../../../storage/d1/share-link-store.ts";
import { TemplateRows } from "../../../storage/d1/template-rows.ts";
import { readTemplateFile } from "../../../storage/r2/template-files.ts";
import { mapResources } from "../../../templates/resources/map-resources.ts";
import { parseContent } from "../change-draft.ts";
import { createObject } from "../create-template.ts";
import { loadContract } from "../load-revision.ts";
import { templateOfRecord } from "../template-view.ts";
import { FontCopies } from "./copy-fonts.ts";
import { PictureCopies } from "./copy-pictures.ts";
import { goneFiles, linkIsClosed, requireShared, type Shared } from "./shared-template.ts";

/**
 * A new draft in the caller's workspace with the document that a link shares, and copies of the stored pictures and the
 * workspace fonts that it names (docs/contract/templates.md#sharing). The import is counted in the transaction that makes
 * the template and the copies visible. Throws `not_found`, `share_link_closed`, `quota_exceeded`.
 */
export async function importTemplate(
  ctx: CallerContext,
  { share_token: token, name }: ImportTemplateBody,
  once: OnceStatements | undefined,
): Promise<DesignTemplate> {
  const shared = await requireShared(ctx, token);
  const { link } = shared;
  const { workspaceId } = ctx.principal;
  const pictures = new PictureCopies(ctx, link.workspace_id);
  let record: TemplateRecord | undefined;
  try {
    const document = await readDocument(ctx, shared);
    record = await createObject(ctx, {
      name: name ?? link.name,
      description: link.description,
      tags: [],
      source: { kind: "share", revision: link.revision },
      // Within a workspace all names mean the same.
      content:
        workspaceId === link.workspace_id
          ? document
          : await copyResources(ctx, shared, document, pictures),
    });
    const store = new ShareLinkStore(ctx.env, workspaceId);
    const made = { record, pictures: pictures.paths };
    if (!(await store.insertImported(made, link, ctx.nowMs(), once))) {
      throw linkIsClosed();
    }
    return templateOfRecord(record);
  } catch (error) {
    // A template whose row was written, although the confirmation was lost, keeps its pictures.
    const rows = new TemplateRows(ctx.env, workspaceId);
    if (record === undefined || !(await rows.exists(record.id))) {
      await pictures.undo();
    }
    throw error;
  }
}

async function readDocument(ctx: CallerContext, { link, version }: Shared): Promise<JsonValue> {
  const { FILES } = ctx.env;
  const text = await readTemplateFile(FILES, link.workspace_id, version.folder, "document");
  if (text === undefined) {
    throw goneFiles(version);
  }
  return await parseContent(ctx, new TextEncoder().encode(text));
}

/** The document with the names of the copies. Fonts are kept even if the import fails: a later one uses them. */
async function copyResources(
  ctx: CallerContext,
  { link, version }: Shared,
  document: JsonValue,
  pictures: PictureCopies,
): Promise<JsonValue> {
  const loaded = await loadContract(ctx.env, link.workspace_id, version);
  if (loaded === undefined) {
    throw goneFiles(version);
  }
  const { fields } = loaded.contract;
  const sources = new Set<string>();
  const families = new Set<string>();
  const references: FontReference[] = [];
  mapResources(document, fields, {
    picture: (source) => {
      sources.add(source);
      return source;
    },
    family: (family) => {
      families.add(family);
      return family;
    },
    font: (reference) => {
      references.push(reference);
      return reference;
    },
  });
  const fonts = new FontCopies(ctx, link.workspace_id, version.font_pins);
  await fonts.copy(families, references);
  await pictures.copy(sources);
  return mapResources(document, fields, {
    picture: (source) => pictures.sourceOf(source),
    family: (family) => fonts.nameOf(family),
    font: (reference) => fonts.referenceOf(reference),
  });
}

import type { TemplateRecord } from "../../contracts/templates/template-object-api.ts";
import { AppError } from "../../lib/errors/errors.ts";
import type { CallerContext } from "../../platform/context.ts";
import { templateDraftObject } from "../../storage/objects/template-draft-object.ts";
import { readTemplateFile, type TemplateFile } from "../../storage/r2/template-files.ts";
import type { TemplateVersionRow } from "../../storage/d1/template-rows.ts";
import { parseContract, shownContract } from "./stored-contract.ts";
import { noSuchTemplate, requireTemplate, requireVersion } from "./require-template.ts";

/**
 * The draft with its content, as it was sent; the content is null if `ifNoneMatch` names the draft. Throws `not_found`,
 * `forbidden`.
 */
export async function readDraft(
  ctx: CallerContext,
  id: string,
  ifNoneMatch: string | null,
): Promise<{ readonly record: TemplateRecord; readonly content: Uint8Array | null }> {
  await requireTemplate(ctx, id);
  const found = await templateDraftObject(ctx, id).readContent({
    v: 1,
    workspace_id: ctx.principal.workspaceId,
    if_none_match: ifNoneMatch,
  });
  if (found === null) {
    throw noSuchTemplate(id);
  }
  return found;
}

/** The document of a revision. Throws `not_found`, `forbidden`, `invalid_revision`. */
export async function readVersionContent(
  ctx: CallerContext,
  id: string,
  revision: string,
): Promise<{ readonly text: string; readonly etag: string }> {
  const { version } = await requireVersion(ctx, id, revision);
  return {
    text: await readFile(ctx, version, "document"),
    etag: `"sha256:${version.content_hash}"`,
  };
}

/** The contract of a revision, with its identity. Throws like `readVersionContent`. */
export async function readVersionContract(
  ctx: CallerContext,
  id: string,
  revision: string,
): Promise<{ readonly text: string; readonly etag: string }> {
  const { version } = await requireVersion(ctx, id, revision);
  const stored = parseContract(await readFile(ctx, version, "contract"));
  const etag = `"sha256:${version.contract_hash}"`;
  const text = JSON.stringify({
    template_id: id,
    revision: version.revision,
    version_id: version.id,
    contract_hash: `sha256:${version.contract_hash}`,
    ...shownContract(stored),
  });
  return { text, etag };
}

/** The text of one of a revision's files. */
export async function readFile(
  ctx: CallerContext,
  version: TemplateVersionRow,
  file: TemplateFile,
): Promise<string> {
  const text = await readTemplateFile(
    ctx.env.FILES,
    ctx.principal.workspaceId,
    version.folder,
    file,
  );
  if (text === undefined) {
    throw new AppError(
      "internal_error",
      `Revision ${String(version.revision)} of ${version.template_id} could not be read.`,
    );
  }
  return text;
}

import type { Reference, ResolvedReference } from "../../contracts/references.ts";
import type { ReferencedTemplate } from "../../contracts/template-reference.ts";
import type { JsonValue } from "../../lib/exact-json.ts";
import { tryParseId } from "../../platform/ids.ts";
import { type TemplateRow, TemplateRows } from "../../storage/d1/template-rows.ts";
import { templateDraftObject } from "../../storage/objects/template-draft-object.ts";
import { draftFileKey, putDraftFile, templateFileKey } from "../../storage/r2/template-files.ts";
import { contractOfDraft, loadContract, type LoadedContract } from "../templates/load-revision.ts";
import { highestCompatible } from "../templates/highest-compatible.ts";
import type { ReferenceContext } from "./reference-context.ts";

const REVISION = /^([1-9]\d{0,8})(\+?)$/;

/** Fetches templates of the caller's workspace (`contracts/template-reference.ts`); omits those that do not exist. */
export async function resolveTemplates(
  ctx: ReferenceContext,
  references: readonly Reference[],
): Promise<readonly ResolvedReference[]> {
  const ids = references.flatMap(({ id }) => tryParseId("template", id) ?? []);
  const rows = await new TemplateRows(ctx.env, ctx.principal.workspaceId).findAll([
    ...new Set(ids),
  ]);
  const byId = new Map(rows.map((row) => [row.id, row]));
  const found = await Promise.all(
    references.map(async (reference): Promise<ResolvedReference[]> => {
      const row = byId.get(tryParseId("template", reference.id) ?? "");
      const content = row === undefined ? undefined : await fetchTemplate(ctx, row, reference);
      if (content === undefined) {
        return [];
      }
      const version = content.version_id ?? content.content_hash;
      // The status is part of the content: what refers to it is checked again when it changes.
      return [
        {
          ...reference,
          version: `${content.template_id} ${version} ${content.status}`,
          content: content as unknown as JsonValue,
        },
      ];
    }),
  );
  return found.flat();
}

async function fetchTemplate(
  ctx: ReferenceContext,
  row: TemplateRow,
  { revision }: Reference,
): Promise<ReferencedTemplate | undefined> {
  if (revision === null) {
    return await fetchDraft(ctx, row);
  }
  const [, number, follows] = REVISION.exec(revision) ?? [];
  if (number === undefined) {
    return undefined;
  }
  const { workspaceId } = ctx.principal;
  const pinned = await new TemplateRows(ctx.env, workspaceId).version(row.id, Number(number));
  const version =
    pinned !== undefined && follows === "+" && row.status === "published"
      ? await highestCompatible(ctx, row, pinned)
      : pinned;
  const loaded =
    version === undefined ? undefined : await loadContract(ctx.env, workspaceId, version);
  if (version === undefined || loaded === undefined) {
    return undefined;
  }
  return {
    ...commonOf(row, loaded),
    revision: version.revision,
    version_id: version.id,
    content_hash: `sha256:${version.content_hash}`,
    changed_at_ms: version.published_at_ms,
    document_key: templateFileKey(version.folder, "document"),
    font_pins: version.font_pins,
  };
}

/** The draft as it stands, kept under its hash: a run prints the draft of its submit. */
async function fetchDraft(
  ctx: ReferenceContext,
  row: TemplateRow,
): Promise<ReferencedTemplate | undefined> {
  const { workspaceId } = ctx.principal;
  const draft = await templateDraftObject(ctx, row.id).readContent({
    v: 1,
    workspace_id: workspaceId,
    if_none_match: null,
  });
  if (draft?.content === undefined || draft.content === null) {
    return undefined;
  }
  const { record, content } = draft;
  const loaded = await contractOfDraft(workspaceId, record.content_hash, content);
  const key = draftFileKey(workspaceId, row.id, record.content_hash);
  await putDraftFile(ctx.env.FILES, key, content);
  return {
    ...commonOf(row, loaded),
    revision: null,
    version_id: null,
    content_hash: `sha256:${record.content_hash}`,
    changed_at_ms: record.updated_at_ms,
    document_key: key,
    font_pins: [],
  };
}

function commonOf(row: TemplateRow, { contract, hash }: LoadedContract) {
  return {
    template_id: row.id,
    name: row.name,
    status: row.status,
    contract_hash: `sha256:${hash}`,
    fields: contract.fields.map((field) => ({
      code: field.code,
      type: field.type,
      required: field.required,
      // The default of a required field is its `defaultValue`, if it has one.
      has_default: field.default !== null,
    })),
  };
}

import { hash } from "node:crypto";
import type { Reference, ResolvedReference } from "../../contracts/references.ts";
import type { TemplatePin } from "../../contracts/templates/template-pins.ts";
import type { ReferencedTemplate } from "../../contracts/templates/template-reference.ts";
import { asJson } from "../../lib/json/exact-json.ts";
import { tryParseId } from "../../platform/ids.ts";
import {
  type TemplateRow,
  TemplateRows,
  type TemplateVersionRow,
} from "../../storage/d1/template-rows.ts";
import { templateDraftObject } from "../../storage/objects/template-draft-object.ts";
import { draftFileKey, putDraftFile, templateFileKey } from "../../storage/r2/template-files.ts";
import {
  contractOfDraft,
  hashOf,
  loadContract,
  type LoadedContract,
} from "../templates/load-revision.ts";
import { highestCompatible } from "../templates/highest-compatible.ts";
import { draftFontPins } from "./draft-fonts.ts";
import type { ReferenceContext } from "./reference-context.ts";

/** `3` or `3+`. */
const REVISION = /^([1-9]\d{0,8})(\+?)$/;
/** A revision that a node pins, or that it needs of a published template (`contracts/template-reference.ts`). */
const EXISTENCE = /^(pinned|published):([1-9]\d{0,8})$/;

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
    references.map(async (reference): Promise<ResolvedReference | undefined> => {
      const id = tryParseId("template", reference.id);
      if (id === undefined) {
        return undefined;
      }
      const { revision } = reference;
      const resolved =
        revision === "any" || EXISTENCE.test(revision ?? "")
          ? await resolveExistence(ctx, { ...reference, id }, byId.get(id))
          : await resolveDocument(ctx, { ...reference, id }, byId.get(id));
      return resolved && { ...resolved, id: reference.id };
    }),
  );
  return found.filter((one) => one !== undefined);
}

/** Whether a definition may name the template at all. */
async function resolveExistence(
  { pins }: ReferenceContext,
  reference: Reference,
  row: TemplateRow | undefined,
): Promise<ResolvedReference | undefined> {
  const { id } = reference;
  const there = { ...reference, version: id, content: { template_id: id } };
  // A version was published with it; whether it is still there is for its runs.
  if (pins?.of === "version" && pins.list.some((pin) => pin.template_id === id)) {
    return there;
  }
  const [, need, number] = EXISTENCE.exec(reference.revision ?? "") ?? [];
  if (row === undefined || need === undefined || row.status === "published") {
    return row && there;
  }
  const revision = Number(number);
  const isKnown =
    pins?.of === "working" &&
    (pins.list.some((pin) => pin.template_id === id && pin.revision === revision) ||
      (await pins.hadPinned(id, revision)));
  if (isKnown || (need === "pinned" && revision > row.latest_revision)) {
    return there;
  }
  const message =
    row.latest_revision === 0
      ? `The template "${row.name}" has never been published.`
      : `The template "${row.name}" is not published, and this workflow did not pin its revision ${revision} while it was.`;
  return { ...there, failed: { code: "template_not_found", message } };
}

/** The document that a node prints, compared with what the workflow has frozen of it. */
async function resolveDocument(
  ctx: ReferenceContext,
  reference: Reference,
  row: TemplateRow | undefined,
): Promise<ResolvedReference | undefined> {
  const { id, revision: named } = reference;
  const { pins } = ctx;
  const frozen = pins?.list.find(
    (pin) => pin.template_id === id && (pin.named === named || `${pin.named}+` === named),
  );
  // `current` is the revision that was current at the publication.
  const wanted =
    pins?.of === "version" && frozen !== undefined && named === "current"
      ? String(frozen.revision)
      : named;
  const found = row && (await fetchTemplate(ctx, row, wanted, frozen));
  if (pins?.of === "version" && frozen !== undefined) {
    return templateReference(reference, frozenContent(frozen, row, found));
  }
  return typeof found === "string"
    ? {
        ...reference,
        version: id,
        content: null,
        failed: { code: "template_pin_failed", message: found },
      }
    : found && templateReference(reference, found);
}

/**
 * A reference to what is printed. The status is part of the version: what refers to it is checked again when it changes. So are
 * the fonts of a draft; a revision always has its own.
 */
export function templateReference(
  reference: Reference,
  content: ReferencedTemplate,
): ResolvedReference {
  const { template_id: id, version_id, content_hash, status, unavailable, font_pins } = content;
  const fonts = font_pins.map((pin) => `${pin.version_guid} ${pin.fallback_guid ?? ""}`);
  const draft = fonts.length === 0 ? content_hash : hash("sha256", [content_hash, ...fonts].join());
  return {
    ...reference,
    version: `${id} ${version_id ?? draft} ${unavailable ?? status}`,
    content: asJson(content),
  };
}

/** What a run of a version gets: its ports are those of the publication, whatever became of the template. */
function frozenContent(
  pin: TemplatePin,
  row: TemplateRow | undefined,
  found: ReferencedTemplate | string | undefined,
): ReferencedTemplate {
  if (typeof found === "object") {
    const codes = new Set(found.fields.map(({ code }) => code));
    return found.revision === null
      ? {
          ...found,
          fields: pin.fields,
          lost_fields: pin.fields.map(({ code }) => code).filter((code) => !codes.has(code)),
        }
      : found;
  }
  const { template_id, revision, version_id, content_hash, contract_hash, fields } = pin;
  return {
    template_id,
    name: row?.name ?? template_id,
    status: row?.status ?? "archived",
    revision,
    version_id,
    content_hash,
    contract_hash,
    changed_at_ms: 0,
    document_key: "",
    font_pins: [],
    fields,
    unavailable:
      found ?? "The template, or the revision that the workflow pins, does not exist any more.",
  };
}

/** Undefined if there is no such revision; a text if it is there and cannot be used, or is not the one that was pinned. */
async function fetchTemplate(
  ctx: ReferenceContext,
  row: TemplateRow,
  revision: string | null,
  frozen: TemplatePin | undefined,
): Promise<ReferencedTemplate | string | undefined> {
  if (revision === null) {
    return (await fetchDraft(ctx, row)) ?? "The draft of the template cannot be read.";
  }
  const [, number, follows] = REVISION.exec(pinOf(row, revision)) ?? [];
  if (number === undefined) {
    return undefined;
  }
  const { workspaceId } = ctx.principal;
  const pinned = await new TemplateRows(ctx.env, workspaceId).version(row.id, Number(number));
  if (pinned === undefined) {
    return undefined;
  }
  if (frozen !== undefined && !isSame(frozen, pinned)) {
    return `Revision ${number} of the template is not the one that the workflow has pinned.`;
  }
  const version =
    follows === "+" && row.status === "published"
      ? await highestCompatible(ctx, row, pinned)
      : pinned;
  const loaded = await loadContract(ctx.env, workspaceId, version);
  if (loaded === undefined) {
    return `Revision ${version.revision} of the template cannot be read.`;
  }
  return {
    ...commonOf(row, loaded),
    revision: version.revision,
    version_id: version.id,
    content_hash: hashOf(version.content_hash),
    changed_at_ms: version.published_at_ms,
    document_key: templateFileKey(version.folder, "document"),
    font_pins: version.font_pins,
  };
}

function isSame(pin: TemplatePin, version: TemplateVersionRow): boolean {
  return (
    pin.version_id === version.id &&
    pin.content_hash === hashOf(version.content_hash) &&
    pin.contract_hash === hashOf(version.contract_hash)
  );
}

/** `current` is the latest revision while the template is published. */
function pinOf({ status, latest_revision: latest }: TemplateRow, revision: string): string {
  return revision === "current" && status === "published" ? String(latest) : revision;
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
    content_hash: hashOf(record.content_hash),
    changed_at_ms: record.content_changed_at_ms,
    document_key: key,
    font_pins: await draftFontPins(ctx, content),
  };
}

function commonOf(row: TemplateRow, { contract, hash }: LoadedContract) {
  return {
    template_id: row.id,
    name: row.name,
    status: row.status,
    contract_hash: hashOf(hash),
    fields: contract.fields.map((field) => ({
      code: field.code,
      type: field.type,
      required: field.required,
      // The default of a required field is its `defaultValue`, if it has one.
      has_default: field.default !== null,
    })),
  };
}

import type { DraftReplay, DraftRequest } from "../../contracts/templates/template-object-api.ts";
import { AppError } from "../../lib/errors/errors.ts";
import { type JsonValue, parseJson, stringifyJson } from "../../lib/json/exact-json.ts";
import { jsonMemory } from "../../lib/json/json-memory.ts";
import { sha256HexOfBytes } from "../../lib/sha256.ts";
import { unwrap } from "../../lib/result.ts";
import type { CallerContext } from "../../platform/context.ts";
import { templateDraftObject } from "../../storage/objects/template-draft-object.ts";
import type { CreationKey } from "../idempotency/create-once.ts";
import { type KeptDraft, keepDraft, keptDraft } from "./kept-drafts.ts";
import { prepareDocument, storedForm } from "./prepare-document.ts";
import { requireTemplate } from "./require-template.ts";

const ATTEMPTS_MAX = 10;
/** Of a draft that is edited: as it is stored, and in the canonical form. */
const TEXT_COPIES = 2;

/** What every draft write sends besides its body. */
export interface DraftWrite {
  readonly creation: CreationKey;
  readonly ifMatch: string | undefined;
}

/** The draft after an edit, and the body of the response without `draft_etag`; null for none. */
export interface DraftEdit {
  readonly document: JsonValue;
  readonly status: 200 | 201 | 204;
  readonly body: { readonly [member: string]: JsonValue } | null;
}

export interface DraftAnswer extends DraftReplay {
  readonly isReplay: boolean;
}

/**
 * Applies an edit, which validates the whole document, to the draft as it stands, and commits it on the revision that was
 * read: of parallel writes with one ETag exactly one succeeds (docs/contract/templates.md#edits). Throws `not_found`,
 * `forbidden`, `idempotency_conflict`, `archived`, `precondition_required`, `precondition_failed`, `content_invalid`, and
 * what `edit` throws.
 */
export async function changeDraft(
  ctx: CallerContext,
  id: string,
  write: DraftWrite,
  edit: (document: JsonValue) => DraftEdit | Promise<DraftEdit>,
): Promise<DraftAnswer> {
  const kept = keptDraft(ctx, id);
  return await writeDraft(ctx, id, write, { knownEtag: kept?.etag }, async (content) => {
    const draft = await draftOf(ctx, content, kept);
    const edited = await edit(draft.document);
    const stored = await storedForm(edited.document);
    const size = stored.content.byteLength;
    return { ...stored, ...edited, size, bytes: draft.bytes * (size / draft.size) };
  });
}

/**
 * Replaces the draft's content. The answer has no body: the content is that of the request. `bodyDigest` is the hex
 * SHA-256 of the request's bytes, by which `repeatedReplace` knows a repeat.
 */
export async function replaceDraft(
  ctx: CallerContext,
  id: string,
  write: DraftWrite,
  {
    document,
    bodyDigest,
  }: { readonly document: JsonValue; readonly bodyDigest?: string | undefined },
): Promise<DraftAnswer> {
  return await writeDraft(ctx, id, write, null, async () => {
    const prepared = await prepareDocument(document);
    const isItself =
      bodyDigest !== undefined && (await sha256HexOfBytes(prepared.content)) === bodyDigest;
    return { ...prepared, status: 200, body: null, bodyDigest: isItself ? bodyDigest : undefined };
  });
}

/**
 * The response to the first of two requests that replace the content with the same bytes; undefined if the draft knows of
 * none, or if its response was not these bytes. Throws `not_found`, `forbidden`.
 */
export async function repeatedReplace(
  ctx: CallerContext,
  id: string,
  { route, key }: Pick<CreationKey, "route" | "key">,
  bodyDigest: string,
): Promise<DraftReplay | undefined> {
  await requireTemplate(ctx, id);
  const replay = await templateDraftObject(ctx, id).findReplay({
    v: 1,
    workspace_id: ctx.principal.workspaceId,
    key: `${route} ${key}`,
    body_sha256: bodyDigest,
  });
  return replay ?? undefined;
}

interface Made {
  readonly content: Uint8Array;
  readonly contentHash: string;
  readonly pageCount: number;
  readonly status: number;
  readonly body: { readonly [member: string]: JsonValue } | null;
  readonly bodyDigest?: string | undefined;
  /** The document and its memory, where it is kept for the next edit. */
  readonly document?: JsonValue;
  readonly size?: number;
  readonly bytes?: number;
}

/** `content` is what edits are made to: null if the write needs none. */
async function writeDraft(
  ctx: CallerContext,
  id: string,
  write: DraftWrite,
  content: { readonly knownEtag: string | undefined } | null,
  make: (content: Uint8Array | null) => Promise<Made>,
): Promise<DraftAnswer> {
  await requireTemplate(ctx, id);
  const object = templateDraftObject(ctx, id);
  const request = draftRequest(ctx, write);
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
    const opened = unwrap(
      await object.open({
        ...request,
        wants_content: content !== null,
        known_etag: content?.knownEtag,
      }),
    );
    if (opened.kind === "replay") {
      return { ...opened.replay, isReplay: true };
    }
    const made = await make(opened.content);
    const committed = unwrap(
      await object.commit({
        ...request,
        base_revision: opened.record.draft_revision,
        change:
          made.contentHash === opened.record.content_hash
            ? null
            : {
                content: made.content,
                content_hash: made.contentHash,
                page_count: made.pageCount,
              },
        status: made.status,
        body: made.body === null ? null : stringifyJson(made.body),
        body_sha256: made.bodyDigest,
      }),
    );
    const { document, size, bytes } = made;
    const isOther = made.contentHash !== opened.record.content_hash;
    if (committed.kind === "committed" && isOther && document && size && bytes) {
      keepDraft(ctx, id, { etag: committed.replay.etag, document, size, bytes });
    }
    if (committed.kind !== "moved") {
      return { ...committed.replay, isReplay: committed.kind === "replay" };
    }
    // With `If-Match: *` another write came first; this one is made again, to what that one left.
  }
  throw draftIsBusy(id);
}

export function draftIsBusy(id: string): AppError {
  return new AppError(
    "service_unavailable",
    `The draft of ${id} is being changed by others. Try again.`,
  );
}

export function draftRequest(ctx: CallerContext, { creation, ifMatch }: DraftWrite): DraftRequest {
  return {
    v: 1,
    workspace_id: ctx.principal.workspaceId,
    idempotency: {
      key: `${creation.route} ${creation.key}`,
      fingerprint: creation.fingerprint ?? "",
    },
    if_match: ifMatch ?? null,
  };
}

/** The document to edit: what the object sent, or the kept one, which it then has said to be the same. */
async function draftOf(
  ctx: CallerContext,
  content: Uint8Array | null,
  kept: KeptDraft | undefined,
): Promise<Omit<KeptDraft, "etag">> {
  if (content === null && kept !== undefined) {
    await ctx.memory.take(kept.bytes);
    return kept;
  }
  const stored = content ?? new Uint8Array();
  const text = new TextDecoder().decode(stored);
  const bytes = TEXT_COPIES * text.length + jsonMemory(text);
  await ctx.memory.take(bytes);
  return { document: parseJson(text), size: stored.byteLength, bytes };
}

/** The document of a draft or a revision; its memory is held for the rest of the request. */
export async function parseContent(ctx: CallerContext, content: Uint8Array): Promise<JsonValue> {
  const text = new TextDecoder().decode(content);
  await ctx.memory.take(text.length + jsonMemory(text));
  return parseJson(text);
}

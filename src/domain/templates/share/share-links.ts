import type {
  CreateShareLinkBody,
  ShareLink,
  ShareLinkList,
} from "../../../contracts/templates/share-link.ts";
import type * as z from "zod";
import { AppError } from "../../../lib/errors/errors.ts";
import { sha256Hex } from "../../../lib/sha256.ts";
import type { CallerContext } from "../../../platform/context.ts";
import { newFileToken } from "../../../platform/file-token.ts";
import { newId, tryParseId } from "../../../platform/ids.ts";
import { shardsOf } from "../../../storage/d1/databases.ts";
import type { OnceStatements } from "../../../storage/d1/idempotency-store.ts";
import { type ShareLinkRow, ShareLinkStore } from "../../../storage/d1/share-link-store.ts";
import { enterShareLink } from "../../../storage/r2/share-link-homes.ts";
import { archived } from "../decide-template.ts";
import { noSuchRevision, readRecord, requireTemplate } from "../require-template.ts";
import { unwrap } from "../../../lib/result.ts";
import { badCursor, pageOf } from "../../list-page.ts";

/**
 * Makes a link to a revision of a published template (docs/contract/templates.md#sharing). Its token is in this response
 * only; the store has its hash. Throws `not_found`, `forbidden`, `archived`, `invalid_state`, `validation_error`.
 */
export async function createShareLink(
  ctx: CallerContext,
  templateId: string,
  body: CreateShareLinkBody,
  once?: OnceStatements,
): Promise<ShareLink> {
  const record = await readRecord(ctx, templateId);
  if (record.status === "archived") {
    return unwrap<ShareLink>(archived(record));
  }
  const { latest } = record;
  if (record.status === "draft" || latest === null) {
    throw new AppError(
      "invalid_state",
      `The design template ${templateId} is a draft. Publish it before it is shared.`,
    );
  }
  const nowMs = ctx.nowMs();
  const expiresAtMs = body.expires_at === null ? null : Date.parse(body.expires_at);
  if (expiresAtMs !== null && expiresAtMs <= nowMs) {
    const message = "Must be in the future.";
    throw new AppError("validation_error", `expires_at: ${message}`, {
      errors: [{ field: "expires_at", message }],
    });
  }
  const revision = body.revision ?? latest.revision;
  if (revision > latest.revision) {
    throw noSuchRevision({ id: templateId, latest_revision: latest.revision }, revision);
  }
  const token = newFileToken();
  const link = {
    id: newId("shareLink", nowMs),
    template_id: templateId,
    revision,
    max_imports: body.max_imports,
    expires_at_ms: expiresAtMs,
    created_at_ms: nowMs,
  };
  const tokenHash = await sha256Hex(token);
  const isEntered = shardsOf(ctx.env).length > 1;
  if (isEntered) {
    await enterShareLink(ctx.env.FILES, tokenHash, ctx.principal);
  }
  await new ShareLinkStore(ctx.env, ctx.principal.workspaceId).insert(
    { ...link, require_sign_in: body.require_sign_in, is_entered: isEntered },
    tokenHash,
    once,
  );
  const require_sign_in = body.require_sign_in ? 1 : 0;
  return {
    ...linkView({ ...link, require_sign_in, import_count: 0, revoked_at_ms: null }),
    token,
    url: `${ctx.baseUrl}/share/${token}`,
  };
}

/** The current state of a link, without its token, which is not stored. Throws `not_found`, `forbidden`. */
export async function readShareLink(
  ctx: CallerContext,
  templateId: string,
  linkId: string,
): Promise<ShareLink> {
  await requireTemplate(ctx, templateId);
  const row = await new ShareLinkStore(ctx.env, ctx.principal.workspaceId).find(templateId, linkId);
  if (row === undefined) {
    throw noSuchLink(templateId, linkId);
  }
  return linkView(row);
}

/** A page of a template's links, newest first, without their tokens. Throws `not_found`, `forbidden`, `invalid_request`. */
export async function listShareLinks(
  ctx: CallerContext,
  templateId: string,
  given: { readonly limit: number; readonly startingAfter: string | undefined },
): Promise<z.output<typeof ShareLinkList>> {
  await requireTemplate(ctx, templateId);
  const store = new ShareLinkStore(ctx.env, ctx.principal.workspaceId);
  const belowSeq = await cursorOf(store, templateId, given.startingAfter);
  const { rows, total } = await store.list(templateId, belowSeq, given.limit + 1);
  return pageOf(
    { rows, total },
    given.limit,
    (row) => linkView(row),
    ({ id }) => id,
  );
}

/** Ends a link; repeats have no effect, and archived templates' links can be revoked too. Throws `not_found`, `forbidden`. */
export async function revokeShareLink(
  ctx: CallerContext,
  templateId: string,
  linkId: string,
): Promise<void> {
  await requireTemplate(ctx, templateId);
  const store = new ShareLinkStore(ctx.env, ctx.principal.workspaceId);
  if (!(await store.revoke(templateId, linkId, ctx.nowMs()))) {
    throw noSuchLink(templateId, linkId);
  }
}

function noSuchLink(templateId: string, linkId: string): AppError {
  return new AppError(
    "not_found",
    `The design template ${templateId} has no share link ${linkId}.`,
  );
}

async function cursorOf(
  store: ShareLinkStore,
  templateId: string,
  given: string | undefined,
): Promise<number | null> {
  if (given === undefined) {
    return null;
  }
  const id = tryParseId("shareLink", given);
  const seq = id === undefined ? undefined : await store.seqOf(templateId, id);
  if (seq === undefined) {
    throw badCursor(given, `a share link of ${templateId}`);
  }
  return seq;
}

function linkView(row: Omit<ShareLinkRow, "seq" | "workspace_id" | "template_id">): ShareLink {
  return {
    id: row.id,
    revision: row.revision,
    token: null,
    url: null,
    require_sign_in: row.require_sign_in !== 0,
    max_imports: row.max_imports,
    import_count: row.import_count,
    expires_at: timeOf(row.expires_at_ms),
    revoked_at: timeOf(row.revoked_at_ms),
    created_at: new Date(row.created_at_ms).toISOString(),
  };
}

export function timeOf(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}

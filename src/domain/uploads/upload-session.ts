import type { UploadSession } from "../../contracts/files/upload.ts";
import { unwrap } from "../../lib/result.ts";
import type { CallerContext } from "../../platform/context.ts";
import { uploadObject } from "../../storage/objects/upload-object.ts";
import { requireUploads } from "./require-uploads.ts";
import { sessionResponse } from "./session-response.ts";
import { listParts } from "../../storage/s3/list-parts.ts";
import { directStore } from "./direct-store.ts";

/**
 * A session with its parts. Throws `feature_disabled`, `not_found`, `forbidden`, `upload_expired`.
 */
export async function readUpload(ctx: CallerContext, uploadId: string): Promise<UploadSession> {
  requireUploads(ctx);
  await syncReceipts(ctx, uploadId);
  return sessionResponse(
    ctx,
    unwrap(await uploadObject(ctx, uploadId).read(ownSession(ctx))),
    true,
  );
}

/**
 * Assembles the parts; validation and publication follow (docs/contract/assets.md#upload-sessions).
 * Throws `feature_disabled`, `not_found`, `forbidden`, `upload_expired`, `window_closing`,
 * `invalid_state`, `file_not_uploaded`.
 */
export async function completeUpload(ctx: CallerContext, uploadId: string): Promise<UploadSession> {
  requireUploads(ctx);
  await syncReceipts(ctx, uploadId);
  return sessionResponse(ctx, unwrap(await uploadObject(ctx, uploadId).complete(ownSession(ctx))));
}

/**
 * Creates an asset from the bytes of a single PUT; `in_progress` if another call is doing so.
 * Throws `feature_disabled`, `not_found`, `forbidden`, `upload_expired`, `window_closing`,
 * `invalid_state`, `file_not_uploaded`, `invalid_size`, `content_mismatch`, `precondition_failed`.
 */
export async function finalizeUpload(ctx: CallerContext, uploadId: string): Promise<UploadSession> {
  requireUploads(ctx);
  return sessionResponse(ctx, unwrap(await uploadObject(ctx, uploadId).finalize(ownSession(ctx))));
}

/**
 * Discards an unfinished session with its bytes. Throws `feature_disabled`, `not_found`,
 * `forbidden`, `upload_expired`, and `conflict` once it is finalized.
 */
export async function abortUpload(ctx: CallerContext, uploadId: string): Promise<void> {
  requireUploads(ctx);
  unwrap(await uploadObject(ctx, uploadId).abort(ownSession(ctx)));
}

/**
 * If clients send parts directly to the store, the store's receipts count
 * (docs/contract/assets.md#upload-sessions): reads them and records them in the session. Otherwise
 * the session has them already. Throws `service_unavailable` if the store does not respond, and the
 * object's own codes.
 */
async function syncReceipts(ctx: CallerContext, uploadId: string): Promise<void> {
  const direct = directStore(ctx.env);
  if (direct === undefined) {
    return;
  }
  const object = uploadObject(ctx, uploadId);
  const { facts: metadata, state } = unwrap(await object.read(ownSession(ctx)));
  if (!metadata.is_direct || metadata.strategy !== "multipart" || state !== "pending") {
    return;
  }
  const parts = await listParts(direct, metadata.key, metadata.r2_upload_id ?? "", ctx.nowMs());
  for (const { part_number, etag, size_bytes } of parts) {
    unwrap(
      await object.commitPut({ v: 1, part: part_number, key: metadata.key, etag, size_bytes }),
    );
  }
}

/** The object returns only sessions of this workspace. */
function ownSession(ctx: CallerContext) {
  return { v: 1, workspace_id: ctx.principal.workspaceId } as const;
}

import { ASSET_BYTES_MAX } from "../../contracts/files/asset.ts";
import {
  PART_BYTES,
  PARTS_MAX,
  SESSION_LIFETIME_MS,
  SINGLE_PUT_MAX_BYTES,
  type UploadMetadata,
  type UploadRecord,
  type UploadSession,
} from "../../contracts/files/upload.ts";
import { AppError } from "../../lib/errors/errors.ts";
import { unwrap } from "../../lib/result.ts";
import type { CallerContext } from "../../platform/context.ts";
import { newId } from "../../platform/ids.ts";
import { UploadSessionStore } from "../../storage/d1/upload-session-store.ts";
import { fileNameMetadata } from "../../storage/r2/stored-file-name.ts";
import { uploadObject } from "../../storage/objects/upload-object.ts";
import { limitAssetRequests } from "../assets/limit-asset-requests.ts";
import { nameAsset, placeAsset } from "../assets/name-asset.ts";
import { quotaExceeded, quotaOf } from "../assets/storage-quota.ts";
import { type CheckName, noteEmbedUpload } from "../embeds/embed-uploads.ts";
import { checkIdempotencyKey } from "../idempotency/idempotency-key.ts";
import { compareWithRecord, KEY_REUSED } from "../../lib/idempotency-record.ts";
import { requestFingerprint } from "../idempotency/request-fingerprint.ts";
import { directStore } from "./direct-store.ts";
import { requireUploads } from "./require-uploads.ts";
import { sessionResponse } from "./session-response.ts";

export interface CreateUpload {
  readonly fileName: string;
  readonly sizeBytes: number;
  readonly mode: "auto" | "single_put" | "multipart";
  readonly idempotencyKey: string | undefined;
  /** Of the uploads of embeds. */
  readonly checkName?: CheckName;
}

export interface CreatedUpload {
  readonly session: UploadSession;
  /** An earlier request with this key created it (docs/contract/idempotency.md#replays). */
  readonly isReplay: boolean;
}

/** A round fails only because of another request with the same key. */
const ROUNDS_MAX = 3;

/**
 * Opens an upload session (docs/contract/assets.md#upload-sessions). With an idempotency key, a
 * repeat returns the session of the first request in its current state; if that session failed, a
 * new one is created. Throws `feature_disabled`, `rate_limited`, `invalid_idempotency_key`,
 * `idempotency_conflict`, `invalid_file_type`, `invalid_size`, `quota_exceeded`.
 */
export async function createUpload(
  ctx: CallerContext,
  given: CreateUpload,
): Promise<CreatedUpload> {
  requireUploads(ctx);
  const key = ownKey(ctx, checkIdempotencyKey(given.idempotencyKey));
  await limitAssetRequests(ctx, "uploads");
  const named = nameAsset(given.fileName, "invalid_file_type");
  given.checkName?.(named.name);
  const strategy = chooseStrategy(given);
  checkSize(ctx, given.sizeBytes, strategy);
  const sessions = new UploadSessionStore(ctx.env, ctx.principal.workspaceId);
  const { fileName, sizeBytes, mode } = given;
  const maxBytes = await quotaOf(ctx);
  const newSession = () => {
    const nowMs = ctx.nowMs();
    return { id: newId("upload", nowMs), sizeBytes, maxBytes, nowMs };
  };
  const open = async (id: string) => {
    const { record, isOurs } = await openSession(ctx, id, named, sizeBytes, strategy);
    await noteEmbedUpload(ctx, { path: record.facts.path, uploadId: id });
    return { session: sessionResponse(ctx, record), isReplay: !isOurs };
  };
  if (key === null) {
    const session = newSession();
    if (!(await sessions.hold(session))) {
      throw quotaExceeded(maxBytes);
    }
    return await open(session.id);
  }
  const fingerprint = await requestFingerprint({ fileName, sizeBytes, mode });
  const openWith = async (id: string) => {
    try {
      return await open(id);
    } catch (error) {
      await sessions.freeKey(key, id);
      throw error;
    }
  };
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const known = await sessions.findKey(key, ctx.nowMs());
    if (known !== undefined) {
      if (compareWithRecord(known, fingerprint) === "conflict") {
        throw new AppError("idempotency_conflict", KEY_REUSED);
      }
      const found = await findSession(ctx, known.upload_id);
      if (found.live !== undefined) {
        return { session: sessionResponse(ctx, found.live), isReplay: true };
      }
      // Its creation was interrupted or is still in progress: both create the same session.
      if (!found.isOver && (await sessions.isHeld(known.upload_id))) {
        return await openWith(known.upload_id);
      }
      await sessions.freeKey(key, known.upload_id);
    }
    const session = newSession();
    const taken = await sessions.takeKey(key, fingerprint, session);
    if (taken === "full") {
      throw quotaExceeded(maxBytes);
    }
    if (taken === "taken") {
      return await openWith(session.id);
    }
  }
  throw new AppError(
    "service_unavailable",
    "Other requests with this Idempotency-Key are in progress. Try again.",
    { headers: { "retry-after": "1" } },
  );
}

/** Keys of an embed token are its own. */
function ownKey({ principal }: CallerContext, key: string | null): string | null {
  const token = principal.embedViewer?.token;
  return key === null || token === undefined ? key : `${token} ${key}`;
}

function chooseStrategy({ mode, sizeBytes }: CreateUpload): UploadMetadata["strategy"] {
  if (mode !== "auto") {
    return mode;
  }
  return sizeBytes > SINGLE_PUT_MAX_BYTES ? "multipart" : "single_put";
}

function checkSize(
  ctx: CallerContext,
  sizeBytes: number,
  strategy: UploadMetadata["strategy"],
): void {
  const raised = Number(ctx.env.MULTIPART_MAX_BYTES ?? ASSET_BYTES_MAX);
  const max = strategy === "multipart" ? Math.min(raised, PART_BYTES * PARTS_MAX) : ASSET_BYTES_MAX;
  if (sizeBytes < 1 || sizeBytes > max) {
    throw new AppError(
      "invalid_size",
      `size_bytes is ${sizeBytes}; it must be the file's exact size, from 1 to ${max} bytes.`,
    );
  }
}

/** Creates the session whose bytes are reserved, or finds it if a concurrent call created it. */
async function openSession(
  ctx: CallerContext,
  id: string,
  named: ReturnType<typeof nameAsset>,
  sizeBytes: number,
  strategy: UploadMetadata["strategy"],
): Promise<{ record: UploadRecord; isOurs: boolean }> {
  const { workspaceId } = ctx.principal;
  const nowMs = ctx.nowMs();
  const isDirect = directStore(ctx.env) !== undefined;
  const place = placeAsset(workspaceId, named, nowMs);
  const slug = place.key.slice(place.key.lastIndexOf("/") + 1);
  // A file that a client can overwrite is never served.
  const key =
    isDirect && strategy === "single_put" ? `${workspaceId}/uploads/${id}/${slug}` : place.key;
  let r2UploadId: string | null = null;
  const abortParts = async () => {
    if (r2UploadId !== null) {
      await ctx.env.FILES.resumeMultipartUpload(key, r2UploadId)
        .abort()
        .catch(() => undefined);
    }
  };
  try {
    if (strategy === "multipart") {
      const upload = await ctx.env.FILES.createMultipartUpload(key, {
        httpMetadata: { contentType: named.type.contentType },
        customMetadata: fileNameMetadata(named.name),
      });
      r2UploadId = upload.uploadId;
    }
    const metadata: UploadMetadata = {
      v: 1,
      upload_id: id,
      workspace_id: workspaceId,
      name: named.name,
      extension: named.extension,
      content_type: named.type.contentType,
      kind: named.type.kind,
      path: place.path,
      size_bytes: sizeBytes,
      strategy,
      total_parts: strategy === "multipart" ? Math.ceil(sizeBytes / PART_BYTES) : 1,
      is_direct: isDirect,
      key,
      copy_key: placeAsset(workspaceId, named, nowMs).key,
      r2_upload_id: r2UploadId,
      created_at_ms: nowMs,
      finalize_expires_at_ms: nowMs + SESSION_LIFETIME_MS,
    };
    const record = unwrap(await uploadObject(ctx, id).create({ v: 1, facts: metadata }));
    if (record.facts.r2_upload_id !== r2UploadId) {
      await abortParts();
    }
    // Every call generates its own key; the record has the key of the call that created it.
    return { record, isOurs: record.facts.copy_key === metadata.copy_key };
  } catch (error) {
    await abortParts();
    await new UploadSessionStore(ctx.env, workspaceId).release(id);
    throw error;
  }
}

/**
 * `live`: exists, and is neither ended nor rejected. `isOver`: it existed, and its reservation has
 * been or will soon be released.
 */
async function findSession(
  ctx: CallerContext,
  id: string,
): Promise<{ live: UploadRecord | undefined; isOver: boolean }> {
  const found = await uploadObject(ctx, id).read({
    v: 1,
    workspace_id: ctx.principal.workspaceId,
  });
  return found.ok
    ? {
        live: found.value.state === "failed" ? undefined : found.value,
        isOver: found.value.state === "failed",
      }
    : { live: undefined, isOver: found.code !== "not_found" };
}

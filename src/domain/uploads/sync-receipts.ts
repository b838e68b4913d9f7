import { unwrap } from "../../lib/result.ts";
import type { CallerContext } from "../../platform/context.ts";
import { uploadObject } from "../../storage/objects/upload-object.ts";
import { listParts } from "../../storage/s3/list-parts.ts";
import { directStore } from "./direct-store.ts";

/**
 * Where clients put parts to the store itself, its receipts are what counts (docs/contract/assets.md#upload-sessions): asks for
 * them and notes them in the session. Elsewhere the session has them already. Throws
 * `service_unavailable` when the store does not answer, and the object's own codes.
 */
export async function syncReceipts(ctx: CallerContext, uploadId: string): Promise<void> {
  const direct = directStore(ctx.env);
  if (direct === undefined) {
    return;
  }
  const object = uploadObject(ctx, uploadId);
  const { facts: metadata, state } = unwrap(
    await object.read({ v: 1, workspace_id: ctx.principal.workspaceId }),
  );
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

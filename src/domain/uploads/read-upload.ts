import type { UploadSession } from "../../contracts/upload.ts";
import { unwrap } from "../../lib/result.ts";
import type { CallerContext } from "../../platform/context.ts";
import { uploadObject } from "../../storage/objects/upload-object.ts";
import { requireUploads } from "./require-uploads.ts";
import { sessionResponse } from "./session-response.ts";
import { syncReceipts } from "./sync-receipts.ts";

/**
 * A session with its parts. Throws `feature_disabled`, `not_found`, `forbidden`, `upload_expired`.
 */
export async function readUpload(ctx: CallerContext, uploadId: string): Promise<UploadSession> {
  requireUploads(ctx);
  await syncReceipts(ctx, uploadId);
  const request = { v: 1, workspace_id: ctx.principal.workspaceId } as const;
  return sessionResponse(ctx, unwrap(await uploadObject(ctx, uploadId).read(request)), true);
}

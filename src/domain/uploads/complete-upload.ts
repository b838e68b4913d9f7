import type { UploadSession } from "../../contracts/upload.ts";
import { unwrap } from "../../lib/result.ts";
import type { CallerContext } from "../../platform/context.ts";
import { uploadObject } from "../../storage/objects/upload-object.ts";
import { requireUploads } from "./require-uploads.ts";
import { sessionResponse } from "./session-response.ts";
import { syncReceipts } from "./sync-receipts.ts";

/**
 * Puts the parts together; validation and publishing follow (docs/contract/assets.md#upload-sessions). Throws `feature_disabled`, `not_found`, `forbidden`, `upload_expired`, `window_closing`,
 * `invalid_state`, `file_not_uploaded`.
 */
export async function completeUpload(ctx: CallerContext, uploadId: string): Promise<UploadSession> {
  requireUploads(ctx);
  await syncReceipts(ctx, uploadId);
  const request = { v: 1, workspace_id: ctx.principal.workspaceId } as const;
  return sessionResponse(ctx, unwrap(await uploadObject(ctx, uploadId).complete(request)));
}

import type { UploadSession } from "../../contracts/upload.ts";
import { unwrap } from "../../lib/result.ts";
import type { CallerContext } from "../../platform/context.ts";
import { uploadObject } from "../../storage/objects/upload-object.ts";
import { requireUploads } from "./require-uploads.ts";
import { sessionResponse } from "./session-response.ts";

/**
 * Makes an asset of what was put by a single PUT; `in_progress` while another call does. Throws `feature_disabled`, `not_found`, `forbidden`, `upload_expired`, `window_closing`,
 * `invalid_state`, `file_not_uploaded`, `invalid_size`, `content_mismatch`, `precondition_failed`.
 */
export async function finalizeUpload(ctx: CallerContext, uploadId: string): Promise<UploadSession> {
  requireUploads(ctx);
  const request = { v: 1, workspace_id: ctx.principal.workspaceId } as const;
  return sessionResponse(ctx, unwrap(await uploadObject(ctx, uploadId).finalize(request)));
}

import { unwrap } from "../../lib/result.ts";
import type { CallerContext } from "../../platform/context.ts";
import { uploadObject } from "../../storage/objects/upload-object.ts";
import { requireUploads } from "./require-uploads.ts";

/**
 * Discards an unfinished session with its bytes. Throws `feature_disabled`, `not_found`,
 * `forbidden`, `upload_expired`, and `conflict` once it is finalized.
 */
export async function abortUpload(ctx: CallerContext, uploadId: string): Promise<void> {
  requireUploads(ctx);
  const request = { v: 1, workspace_id: ctx.principal.workspaceId } as const;
  unwrap(await uploadObject(ctx, uploadId).abort(request));
}

import type { UploadObjectApi } from "../../contracts/files/upload.ts";
import type { Env } from "../../platform/env.ts";

/** The object that owns a presigned upload session, named by its id. */
export function uploadObject(
  ctx: { readonly env: Pick<Env, "UPLOAD"> },
  uploadId: string,
): UploadObjectApi {
  return ctx.env.UPLOAD.get(ctx.env.UPLOAD.idFromName(uploadId));
}

import type { AppContext } from "../../platform/context.ts";
import { type FileAddress, grantFileAccess } from "../../platform/file-access.ts";
import { fileUrl } from "../../platform/file-url.ts";

/** The address of a stored file as callers get it: signed and with an end where the deployment is private. */
export function fileAddress(ctx: AppContext, key: string): FileAddress {
  return grantFileAccess(ctx.env, fileUrl(ctx.baseUrl, key), ctx.nowMs());
}

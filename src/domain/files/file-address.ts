import type { AppContext } from "../../platform/context.ts";
import { type FileAddress, grantFileAccess } from "../../platform/file-access.ts";
import { fileUrl } from "../../platform/file-url.ts";

/** The public address of a stored file: in private deployments, signed and with an expiry time. */
export function fileAddress(ctx: AppContext, key: string): FileAddress {
  return grantFileAccess(ctx.env, fileUrl(ctx.baseUrl, key), ctx.nowMs());
}

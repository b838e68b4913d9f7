import type { AssetDownload } from "../../contracts/files/asset.ts";
import type { CallerContext } from "../../platform/context.ts";
import { fileAddress } from "../files/file-address.ts";
import { openAsset } from "./open-asset.ts";

/** An address of an asset's bytes that works without a token. Throws `not_found`, `forbidden`. */
export async function assetDownloadUrl(ctx: CallerContext, path: string): Promise<AssetDownload> {
  const { key } = await openAsset(ctx, path);
  const { url, expiresAtMs } = fileAddress(ctx, key);
  return {
    url,
    expires_at: expiresAtMs === null ? null : new Date(expiresAtMs).toISOString(),
  };
}

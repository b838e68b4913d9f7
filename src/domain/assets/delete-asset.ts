import { AppError } from "../../lib/errors/errors.ts";
import type { CallerContext } from "../../platform/context.ts";
import { thumbnailKey } from "../../platform/file-url.ts";
import { AssetStore } from "../../storage/d1/asset-store.ts";
import { isOutputPath, openAsset } from "./open-asset.ts";

/**
 * Deletes an asset with its bytes. Past outputs keep their own copy; a later run that uses the path
 * is rejected. Throws `not_found`, for outputs of runs too, and `forbidden`.
 */
export async function deleteAsset(ctx: CallerContext, path: string): Promise<void> {
  const asset = await openAsset(ctx, path);
  if (isOutputPath(asset.path)) {
    throw new AppError(
      "not_found",
      "path: this is an output of a run and not an asset. Outputs are deleted at the end of their retention.",
    );
  }
  // The bytes first: if that fails, the asset still exists and can be deleted again.
  await ctx.env.FILES.delete([asset.key, thumbnailKey(asset.key)]);
  await new AssetStore(ctx.env, ctx.principal.workspaceId).markDeleted(asset.path);
}

import type { Asset } from "../../contracts/asset.ts";
import { AppError } from "../../lib/errors.ts";
import type { CallerContext } from "../../platform/context.ts";
import { AssetStore } from "../../storage/d1/asset-store.ts";
import { assetResponse } from "./asset-response.ts";

/** An asset of the caller's workspace. Throws `not_found`. */
export async function readAsset(ctx: CallerContext, path: string): Promise<Asset> {
  const found = await new AssetStore(ctx.env, ctx.principal.workspaceId).find(path);
  if (found === undefined || found === "elsewhere") {
    throw new AppError("not_found", `There is no asset "${path}" any more: it was deleted.`);
  }
  return assetResponse(found);
}

import type { Asset } from "../../contracts/files/asset.ts";
import { AppError } from "../../lib/errors/errors.ts";
import type { CallerContext } from "../../platform/context.ts";
import { AssetStore } from "../../storage/d1/asset-store.ts";

/** The public fields of a stored asset (docs/contract/assets.md#fields). */
export function assetResponse(row: {
  readonly path: string;
  readonly name: string;
  readonly content_type: string;
  readonly size_bytes: number;
}): Asset {
  const { path, name, content_type, size_bytes } = row;
  return { path, name, content_type, size_bytes };
}

/** An asset of the caller's workspace. Throws `not_found`. */
export async function readAsset(ctx: CallerContext, path: string): Promise<Asset> {
  const found = await new AssetStore(ctx.env, ctx.principal.workspaceId).find(path);
  if (found === undefined || found === "elsewhere") {
    throw new AppError("not_found", `The asset "${path}" was deleted.`);
  }
  return assetResponse(found);
}

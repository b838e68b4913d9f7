import { AppError } from "../../lib/errors.ts";
import type { CallerContext } from "../../platform/context.ts";
import { AssetStore } from "../../storage/d1/asset-store.ts";

/** A stored asset of the caller's workspace: what reads its bytes needs to know. */
export interface OpenAsset {
  /** The `asset_path` under which callers know it. */
  readonly path: string;
  readonly name: string;
  readonly content_type: string;
  /** The category: image, video, audio, document, data, model3d, other. */
  readonly kind: string;
  readonly size_bytes: number;
  /** Of the bytes in R2, without quotes. A path never changes its bytes, so it never changes either. */
  readonly etag: string;
  /** The object's key in R2; never shown to a caller. */
  readonly key: string;
}

/**
 * Looks an `asset_path` up. Throws `not_found`, and `forbidden` for another workspace's
 * (details A); `field` names the place in the request that the message speaks of.
 */
export async function openAsset(
  ctx: Pick<CallerContext, "env" | "principal">,
  path: string,
  field = "path",
): Promise<OpenAsset> {
  const row = await new AssetStore(ctx.env, ctx.principal.workspaceId).find(path);
  const shown = path.slice(0, 200).toWellFormed();
  if (row === undefined) {
    throw new AppError(
      "not_found",
      `${field}: there is no asset "${shown}". Send the path as the upload answered it; a deleted asset is gone for good.`,
    );
  }
  if (row === "elsewhere") {
    throw new AppError(
      "forbidden",
      `${field}: the asset "${shown}" belongs to another workspace. Upload the file to this one.`,
    );
  }
  const { name, content_type, kind, size_bytes, etag, key } = row;
  return { path: row.path, name, content_type, kind, size_bytes, etag, key };
}

import { ASSET_TYPES, extensionOf } from "../../contracts/asset-types.ts";
import { AppError } from "../../lib/errors.ts";
import type { CallerContext } from "../../platform/context.ts";
import { isOutputKey } from "../../platform/file-url.ts";
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
 * Looks an `asset_path` up: an asset's, or that of a prior run's output, which is the path of its
 * address (docs/contract/executions.md#inputs). Throws `not_found`, and `forbidden` for another workspace's
 * (docs/contract/assets.md#fields); `field` names the place in the request that the message speaks of.
 */
export async function openAsset(
  ctx: Pick<CallerContext, "env" | "principal">,
  path: string,
  field = "path",
): Promise<OpenAsset> {
  const row = isOutputKey(path)
    ? // The address may say more behind its path: a name to download it as, or a signature.
      await findOutput(ctx, path.replace(/\?.*$/s, ""))
    : await new AssetStore(ctx.env, ctx.principal.workspaceId).find(path);
  const shown = path.slice(0, 200).toWellFormed();
  if (row === undefined) {
    throw new AppError(
      "not_found",
      `${field}: there is no asset "${shown}". Send the path as the upload returned it. Deleted assets cannot be restored.`,
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

/** Like a row of an asset. A run's files lie under its workspace's id. */
async function findOutput(
  ctx: Pick<CallerContext, "env" | "principal">,
  key: string,
): Promise<OpenAsset | "elsewhere" | undefined> {
  if (!key.startsWith(`${ctx.principal.workspaceId}/`)) {
    return "elsewhere";
  }
  const object = await ctx.env.FILES.head(key);
  const name = key.slice(key.lastIndexOf("/") + 1);
  return object === null
    ? undefined
    : {
        path: key,
        name,
        content_type: object.httpMetadata?.contentType ?? "application/octet-stream",
        kind: ASSET_TYPES.get(extensionOf(name))?.kind ?? "other",
        size_bytes: object.size,
        etag: object.etag,
        key,
      };
}

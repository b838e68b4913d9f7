import { ASSET_TYPES, extensionOf } from "../../contracts/files/asset-types.ts";
import { STORAGE_SCHEME } from "../../contracts/files/bundle-manifest.ts";
import { AppError } from "../../lib/errors/errors.ts";
import type { CallerContext } from "../../platform/context.ts";
import { isOutputKey, parseHeldFileKey } from "../../platform/file-url.ts";
import { FileContent } from "../../lib/files/file-content.ts";
import { FileRef } from "../../lib/files/file-ref.ts";
import { AssetStore } from "../../storage/d1/asset-store.ts";
import { readHeldFile } from "../files/read-held-file.ts";

/** A stored asset of the caller's workspace, with the data that readers of its bytes need. */
export interface OpenAsset {
  /** The `asset_path` that callers use. */
  readonly path: string;
  readonly name: string;
  readonly content_type: string;
  /** The category: image, video, audio, document, data, model3d, other. */
  readonly kind: string;
  readonly size_bytes: number;
  /**
   * ETag of the bytes in R2, without quotes. The bytes of a path never change, so the ETag does not
   * either.
   */
  readonly etag: string;
  /**
   * The object's key in R2, never shown to a caller; for an output in rows or in a pack, the key in
   * its address.
   */
  readonly key: string;
  /** Reads its bytes. */
  readonly file: FileRef;
}

/** Looks a path of an asset up, as `AssetStore.find` does. */
export type FindAsset = (path: string) => ReturnType<AssetStore["find"]>;

/**
 * Looks up an `asset_path`: an asset's, or the address path of a previous run's output, also as a reference in JSON has it,
 * after `storage://` (docs/contract/executions.md#inputs). Throws `not_found`, and `forbidden` for another workspace's
 * (docs/contract/assets.md#fields). `field` is the location in the request, for the message;
 * `find` takes the place of a statement of its own.
 */
export async function openAsset(
  ctx: Pick<CallerContext, "env" | "principal">,
  given: string,
  field = "path",
  find?: FindAsset,
): Promise<OpenAsset> {
  const path = given.startsWith(STORAGE_SCHEME) ? given.slice(STORAGE_SCHEME.length) : given;
  const row = isOutputPath(path)
    ? await findOutput(ctx, keyOf(path))
    : await (find?.(path) ?? new AssetStore(ctx.env, ctx.principal.workspaceId).find(path));
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
  const file =
    "file" in row
      ? row.file
      : new FileRef({ key, name, contentType: content_type, sizeBytes: size_bytes, etag });
  return { path: row.path, name, content_type, kind, size_bytes, etag, key, file };
}

/** Whether a path is the address path of an output. */
export function isOutputPath(path: string): boolean {
  const key = keyOf(path);
  return isOutputKey(key) || parseHeldFileKey(key) !== undefined;
}

/** The address may have more after its path: a download name, or a signature. */
function keyOf(path: string): string {
  return path.replace(/\?.*$/s, "");
}

/** Has the form of an asset's row. A run's files are stored under its workspace's id. */
async function findOutput(
  ctx: Pick<CallerContext, "env" | "principal">,
  key: string,
): Promise<OpenAsset | "elsewhere" | undefined> {
  if (!key.startsWith(`${ctx.principal.workspaceId}/`)) {
    return "elsewhere";
  }
  const file = await findFile(ctx.env, key);
  if (file === undefined) {
    return undefined;
  }
  const { name, contentType, sizeBytes, etag = "" } = file;
  const kind = ASSET_TYPES.get(extensionOf(name))?.kind ?? "other";
  const size = { size_bytes: sizeBytes, content_type: contentType };
  return { path: key, name, kind, ...size, etag, key, file };
}

async function findFile(env: CallerContext["env"], key: string): Promise<FileRef | undefined> {
  const name = key.slice(key.lastIndexOf("/") + 1);
  const place = parseHeldFileKey(key);
  if (place === undefined) {
    const object = await env.FILES.head(key);
    const contentType = object?.httpMetadata?.contentType ?? "application/octet-stream";
    return object === null
      ? undefined
      : new FileRef({ key, name, contentType, sizeBytes: object.size, etag: object.etag });
  }
  const found = await readHeldFile({ env }, place);
  if (found === undefined) {
    return undefined;
  }
  const { content_type: contentType, size_bytes: sizeBytes, sha256, at } = found;
  const where = at instanceof Uint8Array ? { content: FileContent.ofBytes(at) } : { pack: at };
  return new FileRef({ key, name, contentType, sizeBytes, sha256, etag: sha256, ...where });
}

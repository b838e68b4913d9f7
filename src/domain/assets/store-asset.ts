import { type Asset, ASSET_BYTES_MAX } from "../../contracts/files/asset.ts";
import type { CallerContext } from "../../platform/context.ts";
import { AssetStore } from "../../storage/d1/asset-store.ts";
import type { OnceStatements } from "../../storage/d1/idempotency-store.ts";
import type { StoredObject } from "../../storage/r2/put-pieces.ts";
import { noteEmbedUpload } from "../embeds/embed-uploads.ts";
import { assetResponse } from "./asset-response.ts";
import { askFileTypes } from "./ask-file-types.ts";
import { type ContentCode, putInspected } from "./inspect-pieces.ts";
import { type NamedAsset, placeAsset } from "./name-asset.ts";
import { quotaExceeded, quotaOf } from "./storage-quota.ts";

export interface IncomingFile {
  readonly named: NamedAsset;
  /** In pieces; each is valid until the next is requested. */
  readonly pieces: AsyncIterable<Uint8Array>;
  /**
   * Bytes reserved from the quota while the file arrives: its approximate size, or 0. The actual
   * size is checked at the end.
   */
  readonly sizeBytesHeld: number;
  /**
   * Statements for the transaction that makes the asset visible; requested after its bytes have
   * been read.
   */
  readonly once?: (() => OnceStatements) | undefined;
}

/**
 * Stores a new asset from a stream: checks its type on the way, cleans an SVG, and counts it
 * towards the quota. Nothing is left if it fails. Throws `file_too_large`, `invalid_file` (empty),
 * `quota_exceeded`, `code` for bytes of another type, and the errors of the stream.
 */
export async function storeAsset(
  ctx: CallerContext,
  file: IncomingFile,
  code: ContentCode,
): Promise<Asset> {
  const { place, stored } = await store(ctx, file, code, (assets, at, object, maxBytes) =>
    assets.finish(at, object, maxBytes, file.once?.()),
  );
  return assetResponse({
    path: place.path,
    name: file.named.name,
    content_type: file.named.type.contentType,
    size_bytes: stored.sizeBytes,
  });
}

/**
 * The same for an asset that the caller makes visible in a transaction of its own (`AssetStore.reveal`). Until then it
 * counts towards the quota and is found by nobody; if that never happens, it is swept like an unfinished upload.
 */
export async function storeHiddenAsset(
  ctx: CallerContext,
  file: Omit<IncomingFile, "once">,
  code: ContentCode,
): Promise<AssetPlace> {
  const { place } = await store(ctx, file, code, (assets, at, object, maxBytes) =>
    assets.finishHidden(at, object, maxBytes),
  );
  return place;
}

type AssetPlace = ReturnType<typeof placeAsset>;

/** `finish` returns false if the true size does not fit into the quota. */
async function store(
  ctx: CallerContext,
  file: IncomingFile,
  code: ContentCode,
  finish: (
    assets: AssetStore,
    path: string,
    stored: StoredObject,
    maxBytes: number | null,
  ) => Promise<boolean>,
): Promise<{ readonly place: AssetPlace; readonly stored: StoredObject }> {
  const { named } = file;
  const { workspaceId } = ctx.principal;
  const place = placeAsset(workspaceId, named, ctx.nowMs());
  const assets = new AssetStore(ctx.env, workspaceId);
  const maxBytes = await quotaOf(ctx);
  const isHeld = await assets.begin(
    {
      ...place,
      name: named.name,
      contentType: named.type.contentType,
      kind: named.type.kind,
      sizeBytes: Math.min(file.sizeBytesHeld, ASSET_BYTES_MAX),
      nowMs: ctx.nowMs(),
    },
    maxBytes,
  );
  if (!isHeld) {
    throw quotaExceeded(maxBytes);
  }
  let stored: StoredObject | undefined;
  try {
    await noteEmbedUpload(ctx, { path: place.path, uploadId: null });
    const { contentType } = named.type;
    const { extension, name } = named;
    const sizeBytes = file.sizeBytesHeld === 0 ? undefined : file.sizeBytesHeld;
    stored = await putInspected(
      ctx.env.FILES,
      place.key,
      {
        pieces: file.pieces,
        extension,
        sizeBytes,
        memory: ctx.memory,
        detectType: askFileTypes(ctx.env),
      },
      code,
      { contentType, name },
    );
    if (!(await finish(assets, place.path, stored, maxBytes))) {
      throw quotaExceeded(maxBytes);
    }
  } catch (error) {
    // The row first: if the asset is visible and only the confirmation was lost, its bytes must
    // stay.
    await assets.discard(place.path);
    if (stored !== undefined && (await assets.seqOf(place.path)) === undefined) {
      await ctx.env.FILES.delete(place.key);
    }
    throw error;
  }
  return { place, stored };
}

import type { Asset } from "../../contracts/files/asset.ts";
import type { CallerContext } from "../../platform/context.ts";
import type { OnceStatements } from "../../storage/d1/idempotency-store.ts";
import { fetchFile } from "./fetch-file.ts";
import { limitAssetRequests } from "./limit-asset-requests.ts";
import { storeAsset } from "./store-asset.ts";

/**
 * Stores a file from a public https address (docs/contract/assets.md#import). Throws `rate_limited`, `invalid_url`,
 * `fetch_failed`, `unsupported_type`, `content_mismatch`, `file_too_large`, `invalid_file`,
 * `quota_exceeded`.
 */
export async function importAsset(
  ctx: CallerContext,
  url: string,
  fileName: string | undefined,
  once?: OnceStatements,
): Promise<Asset> {
  await limitAssetRequests(ctx, "imports");
  const file = await fetchFile(ctx.env, url, fileName);
  try {
    return await storeAsset(
      ctx,
      {
        named: file.named,
        pieces: file.pieces,
        sizeBytesHeld: file.declaredBytes ?? 0,
        once: once && (() => once),
      },
      "content_mismatch",
    );
  } finally {
    // If storing ended early, the connection is closed.
    await file.pieces.return();
  }
}

import type { FileRef } from "../../lib/files/file-ref.ts";
import { NodeError } from "../../lib/errors/node-error.ts";
import { isAssetKey } from "../../platform/file-url.ts";
import type { Databases } from "../../storage/d1/databases.ts";
import { AssetStore } from "../../storage/d1/asset-store.ts";

/**
 * The path of a stored file, which follows `storage://` in a reference: `findStoredFile` finds the file by it. That of an
 * asset is not its key, which no caller is shown. Throws NodeError `FILE_MISSING` for an asset that was deleted, and
 * `STORAGE_UNAVAILABLE` (can be retried).
 */
export async function storedPath(
  env: Databases,
  workspaceId: string,
  { key, name }: FileRef,
): Promise<string> {
  if (!isAssetKey(key)) {
    return key;
  }
  const path = await new AssetStore(env, workspaceId).pathOfKey(key).catch((cause: unknown) => {
    throw new NodeError("STORAGE_UNAVAILABLE", "The list of stored files did not answer.", {
      retryable: true,
      cause,
    });
  });
  if (path === undefined) {
    throw new NodeError(
      "FILE_MISSING",
      `The file "${name}" is no longer stored. Submit the run again with a fresh upload.`,
    );
  }
  return path;
}

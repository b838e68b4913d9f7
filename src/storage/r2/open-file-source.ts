import { type ByteSource, SourceUnavailableError } from "../../lib/byte-source.ts";
import type { FileRef } from "../../lib/file-ref.ts";
import { NodeError } from "../../lib/node-error.ts";
import { assertWorkspaceKey } from "./assert-workspace-key.ts";
import { R2Source } from "./r2-source.ts";

/**
 * A stored file as a source of bytes. A file that names its ETag is read as those very bytes, any
 * other as it is now. Throws NodeError `FILE_MISSING`, and SourceUnavailableError when the store does not answer.
 */
export async function openFileSource(
  bucket: R2Bucket,
  workspaceId: string,
  file: FileRef,
): Promise<ByteSource> {
  assertWorkspaceKey(workspaceId, file.key);
  const { key, sizeBytes, etag } = file;
  if (etag !== undefined) {
    return new R2Source(bucket, { key, sizeBytes, etag });
  }
  const found = await bucket.head(key).catch((cause: unknown) => {
    throw new SourceUnavailableError(cause);
  });
  if (found === null) {
    throw new NodeError(
      "FILE_MISSING",
      `The file "${file.name}" is no longer stored. Submit the run again with a fresh upload.`,
    );
  }
  return new R2Source(bucket, { key, sizeBytes: found.size, etag: found.etag });
}

import { type ByteSource, SourceUnavailableError } from "../../lib/files/byte-source.ts";
import type { FileRef } from "../../lib/files/file-ref.ts";
import { MemorySource } from "../../lib/files/memory-source.ts";
import { NodeError } from "../../lib/errors/node-error.ts";
import { assertWorkspaceFile } from "./assert-workspace-key.ts";
import { R2Source } from "./r2-source.ts";

/**
 * Opens a stored file as a source of bytes. A file with an ETag is read in exactly that version, any other in its
 * current one. Throws NodeError `FILE_MISSING`, and SourceUnavailableError if the store does not respond.
 */
export async function openFileSource(
  bucket: R2Bucket,
  workspaceId: string,
  file: FileRef,
): Promise<ByteSource> {
  assertWorkspaceFile(workspaceId, file);
  const { key, sizeBytes, etag, content, pack, sha256 } = file;
  if (content !== undefined) {
    return new MemorySource(content.bytes, sha256 ?? key);
  }
  if (etag !== undefined && pack === undefined) {
    return new R2Source(bucket, { key, sizeBytes, etag });
  }
  const at = pack?.key ?? key;
  const found = await bucket.head(at).catch((cause: unknown) => {
    throw new SourceUnavailableError(cause);
  });
  if (found === null || (pack !== undefined && found.size < pack.offset + sizeBytes)) {
    throw new NodeError(
      "FILE_MISSING",
      `The file "${file.name}" is no longer stored. Submit the run again with a fresh upload.`,
    );
  }
  return pack === undefined
    ? new R2Source(bucket, { key, sizeBytes: found.size, etag: found.etag })
    : new R2Source(bucket, { key: at, sizeBytes, etag: found.etag, pack, sha256 });
}

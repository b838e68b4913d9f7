import { FileContent } from "../../lib/files/file-content.ts";
import { FileRef } from "../../lib/files/file-ref.ts";
import { NodeError } from "../../lib/errors/node-error.ts";
import { assertWorkspaceFile, assertWorkspaceKey } from "./assert-workspace-key.ts";
import { getFile } from "./get-file.ts";
import type { HeldRoom } from "./write-task-file.ts";

/**
 * Copies a stored file, as a stream, to a key below `filePrefix`, or keeps it as the file's content if `room` has room.
 * Throws NodeError `FILE_MISSING`, or `STORAGE_UNAVAILABLE`, which can be retried.
 */
export async function copyTaskFile(
  bucket: R2Bucket,
  workspaceId: string,
  file: FileRef,
  filePrefix: string,
  room: HeldRoom,
): Promise<FileRef> {
  const key = filePrefix + file.key.slice(file.key.lastIndexOf("/") + 1);
  assertWorkspaceFile(workspaceId, file);
  assertWorkspaceKey(workspaceId, key);
  const { name, contentType, sha256, content } = file;
  if (content !== undefined) {
    // The file already includes its bytes.
    return file.with({ key, etag: undefined });
  }
  try {
    const found = await getFile(bucket, file);
    if (found !== null) {
      const { sizeBytes } = found;
      const copy = { key, name, contentType, sizeBytes, sha256 };
      if (sizeBytes <= room.bytesMax && room.take(sizeBytes)) {
        const bytes = new Uint8Array(await found.arrayBuffer());
        return new FileRef({ ...copy, content: FileContent.ofBytes(bytes) });
      }
      await bucket.put(key, found.body, { httpMetadata: { contentType } });
      return new FileRef(copy);
    }
  } catch (cause) {
    throw new NodeError("STORAGE_UNAVAILABLE", "The file store did not copy the file.", {
      retryable: true,
      cause,
    });
  }
  throw new NodeError(
    "FILE_MISSING",
    `The file "${file.name}" is no longer stored. Submit the run again with a fresh upload.`,
  );
}

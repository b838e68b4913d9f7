import { FileRef } from "../../lib/file-ref.ts";
import { NodeError } from "../../lib/node-error.ts";
import { assertWorkspaceKey } from "./assert-workspace-key.ts";

/**
 * Copies a stored file to below `filePrefix`, as a stream. Throws NodeError `FILE_MISSING`, or,
 * worth another attempt, `STORAGE_UNAVAILABLE`.
 */
export async function copyTaskFile(
  bucket: R2Bucket,
  workspaceId: string,
  file: FileRef,
  filePrefix: string,
): Promise<FileRef> {
  const key = filePrefix + file.key.slice(file.key.lastIndexOf("/") + 1);
  assertWorkspaceKey(workspaceId, file.key);
  assertWorkspaceKey(workspaceId, key);
  try {
    const found = await bucket.get(file.key);
    if (found !== null) {
      await bucket.put(key, found.body, { httpMetadata: { contentType: file.contentType } });
      const { name, contentType, sha256 } = file;
      return new FileRef({ key, name, contentType, sizeBytes: found.size, sha256 });
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

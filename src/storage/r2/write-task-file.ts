import { FileRef } from "../../lib/file-ref.ts";
import { NodeError } from "../../lib/node-error.ts";
import { assertWorkspaceKey } from "./assert-workspace-key.ts";

/** What one node may store at once from memory. */
const WRITE_BYTES_MAX = 64 * 1024 * 1024;

/**
 * Stores bytes at a key that the caller made unguessable. Throws NodeError: `FILE_TOO_LARGE`, or,
 * worth another attempt, `STORAGE_UNAVAILABLE`.
 */
export async function writeTaskFile(
  bucket: R2Bucket,
  workspaceId: string,
  file: { readonly key: string; readonly name: string; readonly contentType: string },
  bytes: Uint8Array,
): Promise<FileRef> {
  assertWorkspaceKey(workspaceId, file.key);
  if (bytes.byteLength > WRITE_BYTES_MAX) {
    throw new NodeError(
      "FILE_TOO_LARGE",
      `The file "${file.name}" would have ${bytes.byteLength} bytes; a node writes at most ${WRITE_BYTES_MAX}. Ask for a smaller result.`,
    );
  }
  try {
    await bucket.put(file.key, bytes, { httpMetadata: { contentType: file.contentType } });
  } catch (cause) {
    throw new NodeError("STORAGE_UNAVAILABLE", "The file store did not take the file.", {
      retryable: true,
      cause,
    });
  }
  return new FileRef({ ...file, sizeBytes: bytes.byteLength });
}

import type { FileRef } from "../../lib/files/file-ref.ts";
import { NodeError } from "../../lib/errors/node-error.ts";
import { assertWorkspaceFile } from "./assert-workspace-key.ts";
import { getFile } from "./get-file.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";

/**
 * Most bytes of a file that a node may hold at once: half of the 64 MB that any path may hold. The largest file read
 * this way is a picture of 25 MiB; for larger files a node needs a streaming tool.
 */
const READ_BYTES_MAX = LIMITS.read_file.value;

/**
 * Returns the bytes of a task's input file. Throws NodeError `FILE_TOO_LARGE`, `FILE_MISSING`, or
 * `STORAGE_UNAVAILABLE`, which can be retried.
 */
export async function readTaskFile(
  bucket: R2Bucket,
  workspaceId: string,
  file: FileRef,
): Promise<Uint8Array> {
  assertWorkspaceFile(workspaceId, file);
  if (file.content !== undefined) {
    return file.content.bytes;
  }
  if (file.sizeBytes > READ_BYTES_MAX) {
    throw tooLarge(file.name, file.sizeBytes);
  }
  const found = await reach(() => getFile(bucket, file));
  if (found === null) {
    throw new NodeError(
      "FILE_MISSING",
      `The file "${file.name}" is no longer stored. Submit the run again with a fresh upload.`,
    );
  }
  // The reference may be older than the object; the object's actual size determines the memory.
  if (found.sizeBytes > READ_BYTES_MAX) {
    await found.body.cancel();
    throw tooLarge(file.name, found.sizeBytes);
  }
  return reach(async () => new Uint8Array(await found.arrayBuffer()));
}

function tooLarge(name: string, sizeBytes: number): NodeError {
  return new NodeError(
    "FILE_TOO_LARGE",
    `The file "${name}" has ${sizeBytes} bytes; a node can read at most ${READ_BYTES_MAX}. Use a smaller file.`,
  );
}

async function reach<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (cause) {
    throw new NodeError("STORAGE_UNAVAILABLE", "The file store did not respond.", {
      retryable: true,
      cause,
    });
  }
}

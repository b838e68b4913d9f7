import { createHash } from "node:crypto";
import { FileRef } from "../../lib/file-ref.ts";
import { NodeError } from "../../lib/node-error.ts";
import { assertWorkspaceKey } from "./assert-workspace-key.ts";
import { putPieces } from "./put-pieces.ts";

/** What one node may store at once. */
const WRITE_BYTES_MAX = 64 * 1024 * 1024;

/**
 * Stores bytes at a key that the caller made unguessable, pieces as they come. What reading them
 * throws goes on to the caller, and nothing is stored then. Throws NodeError: `FILE_TOO_LARGE`, or,
 * worth another attempt, `STORAGE_UNAVAILABLE`.
 */
export async function writeTaskFile(
  bucket: R2Bucket,
  workspaceId: string,
  file: { readonly key: string; readonly name: string; readonly contentType: string },
  bytes: Uint8Array | AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<FileRef> {
  assertWorkspaceKey(workspaceId, file.key);
  const checked = new CheckedPieces(file.name, bytes);
  try {
    const sizeBytes = await checked.put(bucket, file.key, file.contentType);
    return new FileRef({ ...file, sizeBytes, sha256: checked.sha256() });
  } catch (cause) {
    throw (
      checked.failure ??
      new NodeError("STORAGE_UNAVAILABLE", "The file store did not accept the file.", {
        retryable: true,
        cause,
      })
    );
  }
}

type Given = Uint8Array | AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/** Counts what is read, and tells what goes wrong in reading from what goes wrong in storing. */
class CheckedPieces {
  readonly #name: string;
  readonly #bytes: Given;
  readonly #hash = createHash("sha256");
  failure: unknown;

  constructor(name: string, bytes: Given) {
    this.#name = name;
    this.#bytes = bytes;
  }

  /** Of the bytes that were stored, hexadecimal. To be asked once, after `put`. */
  sha256(): string {
    return this.#hash.digest("hex");
  }

  /** Answers how many bytes were stored. */
  async put(bucket: R2Bucket, key: string, contentType: string): Promise<number> {
    const bytes = this.#bytes;
    if (bytes instanceof Uint8Array) {
      this.#check(bytes.byteLength);
      this.#hash.update(bytes);
      await bucket.put(key, bytes, { httpMetadata: { contentType } });
      return bytes.byteLength;
    }
    return (await putPieces(bucket, key, this.#read(bytes), { contentType, memory: undefined }))
      .sizeBytes;
  }

  async *#read(pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>) {
    let sizeBytes = 0;
    try {
      for await (const piece of pieces) {
        sizeBytes += piece.byteLength;
        this.#check(sizeBytes);
        this.#hash.update(piece);
        yield piece;
      }
    } catch (error) {
      this.failure = error;
      throw error;
    }
  }

  #check(sizeBytes: number): void {
    if (sizeBytes > WRITE_BYTES_MAX) {
      this.failure = new NodeError(
        "FILE_TOO_LARGE",
        `The file "${this.#name}" would have ${sizeBytes} bytes or more; a node writes at most ${WRITE_BYTES_MAX}. Ask for a smaller result.`,
      );
      throw this.failure;
    }
  }
}

import { createHash } from "node:crypto";
import { FileContent } from "../../lib/files/file-content.ts";
import { FileRef } from "../../lib/files/file-ref.ts";
import { NodeError } from "../../lib/errors/node-error.ts";
import { assertWorkspaceKey } from "./assert-workspace-key.ts";
import { putPieces } from "./put-pieces.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";

const WRITE_BYTES_MAX = LIMITS.written_file.value;

/** Memory for small files until their task is reported: they are stored with the report, or in packs. */
export interface HeldRoom {
  /** A larger file is stored immediately. */
  readonly bytesMax: number;
  /** Takes room for so many bytes; returns false if there is none. */
  take(bytes: number): boolean;
  /** Bytes that are held. */
  readonly files: FileRef[];
}

/**
 * Streams bytes to a key that the caller made unguessable, or keeps them as the file's content if `room` has room.
 * Rethrows errors of the source and stores nothing then. Throws NodeError `FILE_TOO_LARGE` past `bytesMax`, or
 * `STORAGE_UNAVAILABLE`, which can be retried.
 */
export async function writeTaskFile(
  bucket: R2Bucket,
  workspaceId: string,
  file: { readonly key: string; readonly name: string; readonly contentType: string },
  bytes: Uint8Array | AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  room?: HeldRoom,
  bytesMax = WRITE_BYTES_MAX,
): Promise<FileRef> {
  assertWorkspaceKey(workspaceId, file.key);
  const checked = new CheckedPieces(file.name, bytes, bytesMax);
  try {
    const held = await checked.hold(room);
    if (room !== undefined && held !== undefined) {
      const content = FileContent.ofBytes(held);
      const sha256 = checked.sha256();
      const ref = new FileRef({ ...file, sizeBytes: held.byteLength, sha256, content });
      room.files.push(ref);
      return ref;
    }
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

/** Counts the bytes read, and distinguishes errors of reading from errors of storing. */
class CheckedPieces {
  readonly #name: string;
  readonly #bytes: Given;
  readonly #bytesMax: number;
  readonly #hash = createHash("sha256");
  #pieces: AsyncGenerator<Uint8Array> | undefined;
  /** Pieces that were read to find out whether the file is small. */
  #begun: Uint8Array[] = [];
  failure: unknown;

  constructor(name: string, bytes: Given, bytesMax: number) {
    this.#name = name;
    this.#bytes = bytes;
    this.#bytesMax = bytesMax;
  }

  /** SHA-256 of the stored bytes, hexadecimal. Call it once, after `hold` or `put`. */
  sha256(): string {
    return this.#hash.digest("hex");
  }

  /** Returns all bytes if they are few and there is room for them; otherwise `put` stores them. */
  async hold(room: HeldRoom | undefined): Promise<Uint8Array | undefined> {
    if (room === undefined || room.bytesMax === 0) {
      return undefined;
    }
    if (this.#bytes instanceof Uint8Array) {
      const { byteLength } = this.#bytes;
      if (byteLength > room.bytesMax || !room.take(byteLength)) {
        return undefined;
      }
      this.#hash.update(this.#bytes);
      // A copy (a Buffer's `slice` is none), because the owner of the bytes may reuse its buffer before they are stored.
      return new Uint8Array(this.#bytes);
    }
    this.#pieces = this.#read(this.#bytes);
    let sizeBytes = 0;
    while (sizeBytes <= room.bytesMax) {
      const { done, value } = await this.#pieces.next();
      if (done === true) {
        return room.take(sizeBytes) ? joined(this.#begun, sizeBytes) : undefined;
      }
      sizeBytes += value.byteLength;
      // A copy, because a piece is valid until the next one is asked for. `put` asks for none before it has this one.
      this.#begun.push(sizeBytes > room.bytesMax ? value : value.slice());
    }
    return undefined;
  }

  /** Returns the number of bytes stored. */
  async put(bucket: R2Bucket, key: string, contentType: string): Promise<number> {
    const bytes = this.#bytes;
    if (bytes instanceof Uint8Array) {
      this.#check(bytes.byteLength);
      this.#hash.update(bytes);
      await bucket.put(key, bytes, { httpMetadata: { contentType } });
      return bytes.byteLength;
    }
    const pieces = this.#all(this.#pieces ?? this.#read(bytes));
    return (await putPieces(bucket, key, pieces, { contentType, memory: undefined })).sizeBytes;
  }

  async *#all(rest: AsyncGenerator<Uint8Array>) {
    const begun = this.#begun;
    this.#begun = [];
    yield* begun;
    yield* rest;
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
    if (sizeBytes > this.#bytesMax) {
      this.failure = new NodeError(
        "FILE_TOO_LARGE",
        `The file "${this.#name}" would have ${sizeBytes} bytes or more; a node writes at most ${this.#bytesMax}. Ask for a smaller result.`,
      );
      throw this.failure;
    }
  }
}

function joined(pieces: readonly Uint8Array[], sizeBytes: number): Uint8Array {
  const bytes = new Uint8Array(sizeBytes);
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.byteLength;
  }
  return bytes;
}

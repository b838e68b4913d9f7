/**
 * Writes a ZIP archive whose state is plain data between any two calls, so that it can be stored, and the archive be
 * continued by another process from where its bytes ended.
 */
import { constants, crc32, deflateRawSync } from "node:zlib";
import {
  bytesOfFile,
  dataDescriptor,
  DEFLATED,
  directoryEntry,
  END_BYTES,
  endOfArchive,
  localHeader,
  STORED,
  ZIP_BYTES_MAX,
  type ZipFile,
} from "./zip-records.ts";

export interface ZipState {
  /** Bytes of the archive. */
  readonly length: number;
  /** Files that are complete, and the bytes of their entries in the directory. */
  readonly files: number;
  readonly directory: number;
  /** The file that is being written. */
  readonly open: ZipFile | null;
}

export const NEW_ARCHIVE: ZipState = { length: 0, files: 0, directory: 0, open: null };

/** The archive would need extensions that common readers lack. */
export class ZipTooLargeError extends Error {
  override readonly name = "ZipTooLargeError";
}

/** Any two parts of a deflated file stand on their own; the last one is empty and says that it is the last. */
const LAST_BLOCK = Uint8Array.of(3, 0);

export interface ZipOutput {
  append(bytes: Uint8Array): void;
  /** Keeps the directory's entry of a complete file for the end of the archive. */
  keepEntry(entry: Uint8Array): void;
}

export class ZipWriter {
  readonly #out: ZipOutput;
  readonly #modifiedMs: number;
  #state: ZipState;

  /** All files have the same date, in UTC. */
  constructor(out: ZipOutput, modifiedMs: number, state: ZipState = NEW_ARCHIVE) {
    this.#out = out;
    this.#modifiedMs = modifiedMs;
    this.#state = state;
  }

  get state(): ZipState {
    return this.#state;
  }

  /** Whether a stored file of this size leaves the archive within `bytesMax`. */
  fits(name: string, size: number, bytesMax: number): boolean {
    const { length, directory } = this.#state;
    return length + directory + END_BYTES + bytesOfFile(name, size) <= bytesMax;
  }

  /** Begins a file whose bytes follow with `write`. */
  begin(name: string, { isDeflated = false } = {}): void {
    const method = isDeflated ? DEFLATED : STORED;
    const offset = this.#state.length;
    const open = { name, method, is_streamed: true, crc: 0, packed: 0, size: 0, offset } as const;
    this.#put(localHeader(open, this.#modifiedMs), { open });
  }

  /** Throws ZipTooLargeError. */
  write(bytes: Uint8Array): void {
    const { open } = this.#state;
    if (open === null) {
      throw new TypeError("No file of the archive is open.");
    }
    if (bytes.byteLength === 0) {
      return;
    }
    const packed =
      open.method === DEFLATED
        ? deflateRawSync(bytes, { level: 4, finishFlush: constants.Z_SYNC_FLUSH })
        : bytes;
    this.#put(packed, {
      open: {
        ...open,
        crc: crc32(bytes, open.crc),
        packed: open.packed + packed.byteLength,
        size: open.size + bytes.byteLength,
      },
    });
  }

  /** Ends the file that is open. */
  end(): void {
    const { open } = this.#state;
    if (open === null) {
      throw new TypeError("No file of the archive is open.");
    }
    const last = open.method === DEFLATED ? LAST_BLOCK : new Uint8Array();
    this.#put(last, {});
    const file = { ...open, packed: open.packed + last.byteLength };
    this.#put(dataDescriptor(file), {});
    this.#keep(file);
  }

  /** A whole file, which is stored as it is. */
  add(name: string, bytes: Uint8Array): void {
    const size = bytes.byteLength;
    const file: ZipFile = {
      name,
      method: STORED,
      is_streamed: false,
      crc: crc32(bytes),
      packed: size,
      size,
      offset: this.#state.length,
    };
    this.#put(localHeader(file, this.#modifiedMs), {});
    this.#put(bytes, {});
    this.#keep(file);
  }

  /** Ends the archive. `entries` are those that were kept, in order. */
  finish(entries: Iterable<Uint8Array>): void {
    const { length, files, directory } = this.#state;
    for (const entry of entries) {
      this.#put(entry, {});
    }
    if (this.#state.length !== length + directory) {
      throw new Error("The directory of the archive is not complete.");
    }
    this.#put(endOfArchive(files, directory, length), {});
  }

  #keep(file: ZipFile): void {
    const entry = directoryEntry(file, this.#modifiedMs);
    this.#out.keepEntry(entry);
    const { files, directory } = this.#state;
    this.#put(new Uint8Array(), {
      open: null,
      files: files + 1,
      directory: directory + entry.byteLength,
    });
  }

  #put(bytes: Uint8Array, change: Partial<ZipState>): void {
    const length = this.#state.length + bytes.byteLength;
    if (length > ZIP_BYTES_MAX || (change.open?.size ?? 0) > ZIP_BYTES_MAX) {
      throw new ZipTooLargeError("A ZIP archive has at most 4 GiB.");
    }
    this.#out.append(bytes);
    this.#state = { ...this.#state, ...change, length };
  }
}

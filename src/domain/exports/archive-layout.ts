import { predictLength } from "client-zip";
import { LIMITS } from "../../lib/limits/limits-table.ts";

/**
 * Maximum size of an archive, far below the limit of readers without ZIP64
 * (docs/contract/exports.md#parts).
 */
export const ARCHIVE_BYTES_MAX = LIMITS.archive.value;
/**
 * More than 65,535 entries would need ZIP64 in the directory's end, which client-zip writes for
 * large files only.
 */
export const ARCHIVE_FILES_MAX = LIMITS.archive_files.value;
/** Size of an archive without its files. */
const END_BYTES = 22;

/**
 * Distributes files over archives in order: each archive is filled as far as possible. A file that
 * is larger than the maximum gets an archive of its own.
 */
export class ArchiveLayout {
  readonly #bytesMax: number;
  readonly #filesMax: number;
  readonly #archives = [{ size_bytes: END_BYTES, file_count: 0 }];

  constructor(bytesMax = ARCHIVE_BYTES_MAX, filesMax = ARCHIVE_FILES_MAX) {
    this.#bytesMax = Math.min(bytesMax, ARCHIVE_BYTES_MAX);
    this.#filesMax = filesMax;
  }

  /** The number of the file's archive, from 1. */
  add(name: string, sizeBytes: number): number {
    const bytes = Number(predictLength([{ name, size: sizeBytes }])) - END_BYTES;
    let last = this.#archives.at(-1);
    if (
      last === undefined ||
      (last.file_count > 0 &&
        (last.size_bytes + bytes > this.#bytesMax || last.file_count >= this.#filesMax))
    ) {
      last = { size_bytes: END_BYTES, file_count: 0 };
      this.#archives.push(last);
    }
    last.size_bytes += bytes;
    last.file_count += 1;
    return this.#archives.length;
  }

  /** Exact sizes of the archives; one empty archive if there are no files. */
  get archives(): readonly { readonly size_bytes: number; readonly file_count: number }[] {
    return this.#archives;
  }
}

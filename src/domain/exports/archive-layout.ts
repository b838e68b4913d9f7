import { predictLength } from "client-zip";
import { LIMITS } from "../../lib/limits-table.ts";

/** Archives end here, well below what readers without ZIP64 take (docs/contract/exports.md#parts, issue "split at 2 GB"). */
export const ARCHIVE_BYTES_MAX = LIMITS.archive.value;
/** More than 65,535 would need ZIP64 in the directory's end, which client-zip writes for large files only. */
export const ARCHIVE_FILES_MAX = LIMITS.archive_files.value;
/** What an archive has besides its files. */
const END_BYTES = 22;

/**
 * Deals files out to archives in their order: each is filled as far as it goes. A file that is larger
 * than an archive may be gets one of its own.
 */
export class ArchiveLayout {
  readonly #bytesMax: number;
  readonly #filesMax: number;
  readonly #archives = [{ size_bytes: END_BYTES, file_count: 0 }];

  constructor(bytesMax = ARCHIVE_BYTES_MAX, filesMax = ARCHIVE_FILES_MAX) {
    this.#bytesMax = Math.min(bytesMax, ARCHIVE_BYTES_MAX);
    this.#filesMax = filesMax;
  }

  /** The archive, from 1, that the file belongs into. */
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

  /** Their exact sizes; of no files at all, one archive that is empty. */
  get archives(): readonly { readonly size_bytes: number; readonly file_count: number }[] {
    return this.#archives;
  }
}

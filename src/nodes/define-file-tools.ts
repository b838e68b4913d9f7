/** The tools of a node that read, store and fetch files. */
import type { MediaKind } from "../contracts/media/media-kinds.ts";
import type { FileRef } from "../lib/files/file-ref.ts";

/** A file's bytes, whole or as a stream of pieces; each piece is valid until the next one is requested. */
export type FileBytes = Uint8Array | AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/**
 * Fetches a public https address under the egress guard and stores the file (an SVG after cleaning) with the task's
 * files. `storage://` and a path is a stored file of the workspace or of one of its runs. Throws NodeError `FILE_MISSING`, `MEDIA_URL_REFUSED`, `MEDIA_FETCH_FAILED` (can be retried), `MEDIA_TOO_LARGE`,
 * `MEDIA_TYPE_UNSUPPORTED`, `MEDIA_TYPE_MISMATCH` or `STORAGE_UNAVAILABLE` (can be retried).
 */
export type FetchMedia = (address: string, kind: MediaKind) => Promise<FileRef>;

/** A task's input files and the files that it writes. */
export interface FileTools {
  read(file: FileRef): Promise<Uint8Array>;
  /**
   * Stores bytes under an unguessable path of this task; `name` is the base name with its extension. Rethrows errors of
   * the source and stores nothing then.
   */
  write(name: string, contentType: string, bytes: FileBytes): Promise<FileRef>;
}

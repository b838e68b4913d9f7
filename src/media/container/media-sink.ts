/** Bytes from the beginning of a file that can be changed until it ends. */
export const PATCHED_BYTES_MAX = 8 * 1024 * 1024;

/** Takes a file from its beginning to its end, and keeps its first part open until then. */
export interface MediaSink {
  /** Takes a copy of the bytes. */
  append(bytes: Uint8Array): Promise<void>;
  /** Replaces bytes that were appended within the first PATCHED_BYTES_MAX. */
  patch(position: number, bytes: Uint8Array): void;
  readonly sizeBytes: number;
}

import type { FileRef } from "../../lib/files/file-ref.ts";

/**
 * Whether a file's bytes are deleted with the run whose keys begin with `prefix`; bytes that another run stored have
 * their own retention.
 */
export function isOwnFile({ key, pack, content }: FileRef, prefix: string): boolean {
  return content !== undefined || (pack?.key ?? key).startsWith(prefix);
}

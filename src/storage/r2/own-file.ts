import type { FileRef } from "../../lib/file-ref.ts";

/** Whether a file's bytes go with the run whose keys begin with `prefix`: what another has stored may be deleted. */
export function isOwnFile({ key, pack, content }: FileRef, prefix: string): boolean {
  return content !== undefined || (pack?.key ?? key).startsWith(prefix);
}

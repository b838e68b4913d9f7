import { HIDDEN_CHARACTERS } from "../../lib/hidden-characters.ts";
import { isDeviceName } from "../../lib/files/safe-file-name.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";

const BYTES_MAX = LIMITS.bundle_path.value;

/**
 * The rule for portable paths that a path breaks (docs/contract/bundles.md#portable-paths), as text
 * for a message; undefined if it breaks none.
 */
export function portablePathProblem(path: string): string | undefined {
  if (!path.isWellFormed() || path.normalize("NFC") !== path) {
    return "is not in Unicode form NFC";
  }
  const bytes = new TextEncoder().encode(path).byteLength;
  if (bytes > BYTES_MAX) {
    return `has ${bytes} bytes; at most ${BYTES_MAX} are portable`;
  }
  if (/\p{Cc}/u.test(path)) {
    return "contains a control character";
  }
  if (path.search(HIDDEN_CHARACTERS) !== -1) {
    return "contains an invisible character, for example one that changes the direction of writing";
  }
  if (path.includes("\\")) {
    return "contains a backslash; separate folders with /";
  }
  if (path.includes(":")) {
    return "contains a colon";
  }
  for (const segment of path.split("/")) {
    if (segment === "") {
      return "is absolute, or has an empty segment";
    }
    if (segment === "." || segment === "..") {
      return `has the segment "${segment}"`;
    }
    if (/[. ]$/.test(segment)) {
      return `has a segment that ends in a dot or a space: "${segment}"`;
    }
    if (isDeviceName(segment)) {
      return `has the segment "${segment}", a device name of Windows`;
    }
  }
  return undefined;
}

/** The same text for paths that are equal on file systems that ignore case. */
export function foldPath(path: string): string {
  return path.normalize("NFC").toUpperCase().toLowerCase();
}

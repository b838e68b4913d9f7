/** All file systems accept this length (255 bytes), and so does an output's key with its prefix and escapes. */
const NAME_CHARACTERS_MAX = 100;

const EXTENSION = /\.[A-Za-z0-9]{1,10}$/;

/**
 * A base name that is safe as the last part of a storage key and as a download's name: no path, no control,
 * bidirectional or reserved characters, no leading dot, at most 100 characters with its extension kept. `{index}` is
 * kept for the result view. Returns `file` if nothing is left.
 */
export function cleanFileName(given: string): string {
  const base = given
    .toWellFormed()
    .normalize("NFC")
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, "")
    .replace(/^.*[/\\]/s, "")
    .replaceAll(/[<>:"|?*~]/g, "_")
    .replaceAll(/\s+/g, " ")
    .replace(/^[. ]+/, "")
    .trimEnd();
  const extension = EXTENSION.exec(base)?.[0] ?? "";
  const stem = base
    .slice(0, Math.min(base.length, NAME_CHARACTERS_MAX) - extension.length)
    // Half of a surrogate pair.
    .replace(/[\uD800-\uDBFF]$/, "");
  return stem === "" && extension === "" ? "file" : `${stem === "" ? "file" : stem}${extension}`;
}

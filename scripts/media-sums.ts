/**
 * The list of the SHA-256 of committed media files, `SHA256SUMS` in their folder, as `sha256sum --check` reads it. The scripts that
 * make the files write it, and a test compares it with them.
 */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export const SUMS = "SHA256SUMS";

const IS_MEDIA = /\.(?:aac|flac|gz|m4a|mov|mp3|mp4|ogg|opus|webm)$/;

/** Returns the text of the list for the media files of a folder, in the order of their names. */
export function sumsOf(folder: string): string {
  return readdirSync(folder)
    .filter((name) => IS_MEDIA.test(name))
    .toSorted((a, b) => (a < b ? -1 : 1))
    .map((name) => {
      const digest = createHash("sha256")
        .update(readFileSync(join(folder, name)))
        .digest("hex");
      return `${digest}  ${name}\n`;
    })
    .join("");
}

/** Writes the list of a folder. */
export function writeSums(folder: string): void {
  writeFileSync(join(folder, SUMS), sumsOf(folder));
}

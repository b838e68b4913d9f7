import { withoutAccents } from "../lib/http/content-disposition.ts";
import { HIDDEN_CHARACTERS } from "../lib/hidden-characters.ts";

/**
 * Maximum length of a file name in common file systems, and of the `name` of an asset
 * (docs/contract/assets.md#fields).
 */
const NAME_BYTES_MAX = 255;
/**
 * Maximum length of a path's name part before the extension. The name only has to be recognizable.
 */
const SLUG_CHARS_MAX = 80;

/**
 * Returns a file name for display: the base name in NFC, without control, format and bidirectional
 * characters (joiners stay), at most 255 bytes including its extension
 * (docs/contract/assets.md#fields). Empty if nothing is left.
 */
export function cleanAssetName(given: string): string {
  const base = given
    .toWellFormed()
    .normalize("NFC")
    .replaceAll(HIDDEN_CHARACTERS, "")
    .replace(/^.*[/\\]/s, "")
    .replaceAll(/\s+/g, " ")
    .trim();
  if (base === "." || base === "..") {
    return "";
  }
  const dot = base.lastIndexOf(".");
  const extension = dot > 0 ? base.slice(dot) : "";
  const room = NAME_BYTES_MAX - byteLength(extension);
  return room < 1
    ? ""
    : cutToBytes(base.slice(0, base.length - extension.length), room) + extension;
}

/** The last part of an asset's path: ASCII, safe in a URL, with the extension of the name. */
export function assetSlug(name: string, extension: string): string {
  const stem = name.slice(0, name.length - extension.length - 1);
  const ascii = withoutAccents(stem)
    .replaceAll(/[^A-Za-z0-9._-]+/g, "-")
    .replaceAll(/-{2,}/g, "-")
    .replaceAll(/\.{2,}/g, ".")
    .slice(0, SLUG_CHARS_MAX)
    .replaceAll(/^[-.]+|[-.]+$/g, "");
  return `${ascii === "" ? "file" : ascii}.${extension}`;
}

/**
 * The longest prefix of a text with at most the given number of UTF-8 bytes, without splitting a
 * character.
 */
function cutToBytes(text: string, bytesMax: number): string {
  if (byteLength(text) <= bytesMax) {
    return text;
  }
  let bytes = 0;
  let end = 0;
  for (const character of text) {
    bytes += byteLength(character);
    if (bytes > bytesMax) {
      break;
    }
    end += character.length;
  }
  return text.slice(0, end).trimEnd();
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).byteLength;
}

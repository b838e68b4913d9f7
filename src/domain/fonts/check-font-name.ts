import { extensionOf } from "../../contracts/files/asset-types.ts";
import { type ErrorCode, AppError } from "../../lib/errors/errors.ts";

const REFUSED = new Map<string, readonly [ErrorCode, string]>([
  ["woff", ["FONT_WEB_FORMAT_UNSUPPORTED", "a web font"]],
  ["woff2", ["FONT_WEB_FORMAT_UNSUPPORTED", "a web font"]],
  ["ttc", ["FONT_COLLECTION_UNSUPPORTED", "a collection"]],
  ["otc", ["FONT_COLLECTION_UNSUPPORTED", "a collection"]],
]);

/**
 * Rejects a file whose name has the extension of another type, before any byte is stored. A name
 * without an extension is accepted, and TrueType outlines may be in an .otf file: the check of the
 * bytes decides. Throws `FONT_WEB_FORMAT_UNSUPPORTED`, `FONT_COLLECTION_UNSUPPORTED`,
 * `FONT_INVALID`.
 */
export function checkFontName(name: string, shown: string): void {
  const extension = extensionOf(name);
  if (extension === "" || extension === "ttf" || extension === "otf") {
    return;
  }
  const [code, what] = REFUSED.get(extension) ?? ["FONT_INVALID", "a file of another kind"];
  throw new AppError(
    code,
    `${shown} is named as ${what}. Send the TTF or OTF file of each variant, under its name.`,
  );
}

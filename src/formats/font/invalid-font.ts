import { FontError } from "./font-error.ts";

/** A FONT_INVALID that says what is wrong, a sentence without its full stop, and how to mend it. */
export function invalidFont(what: string): FontError {
  return new FontError(
    "FONT_INVALID",
    `${what}. Export the font again from its source, or upload its maker's own TTF or OTF file.`,
  );
}

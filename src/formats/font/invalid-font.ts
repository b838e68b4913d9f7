import { FontError } from "./font-error.ts";

/**
 * A FONT_INVALID error: `what` states the problem, a sentence without its full stop; the fix is
 * appended.
 */
export function invalidFont(what: string): FontError {
  return new FontError(
    "FONT_INVALID",
    `${what}. Export the font again from its source, or upload the original TTF or OTF file of its maker.`,
  );
}

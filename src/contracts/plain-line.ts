import * as z from "zod";

/**
 * Text of a caller on one line: 1 to `charsMax` code points, well-formed, without control characters. Unlike `Name` it is
 * kept exactly as sent.
 */
export function plainLine(charsMax: number) {
  return z
    .string()
    .refine(
      (text) => {
        let length = 0;
        // A code point has at most two units, so a longer text needs no complete count.
        for (const _ of text.slice(0, 2 * charsMax + 1)) {
          length++;
        }
        return length >= 1 && length <= charsMax && !/\p{Cc}/u.test(text) && text.isWellFormed();
      },
      `Must be 1 to ${String(charsMax)} characters, without control characters`,
    )
    .meta({ minLength: 1, maxLength: charsMax });
}

import * as z from "zod";
import { ID_PREFIXES, type IdKind, tryParseId } from "../platform/ids.ts";
import type { ErrorCode } from "../lib/errors/errors.ts";

const GIVEN_CHARS_MAX = 80;

/**
 * A public id in a path, query or body: accepted with its prefix or as a bare UUID, returned in canonical form
 * (docs/contract/conventions.md#identifiers). A malformed id results in `code`.
 */
export function idField(kind: IdKind, code: ErrorCode = "invalid_id") {
  const prefix = ID_PREFIXES[kind];
  const words = kind.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  const article = /^[aeiou]/.test(words) ? "an" : "a";
  return z
    .string()
    .transform((given, refinement) => {
      const id = tryParseId(kind, given);
      if (id === undefined) {
        refinement.addIssue({
          code: "custom",
          params: { code },
          message: `"${given.slice(0, GIVEN_CHARS_MAX)}" is not ${article} ${words} id. Send it exactly as it was returned: ${prefix} and 32 hex digits, or the bare UUID.`,
        });
        return z.NEVER;
      }
      return id;
    })
    .describe(`\`${prefix}\` and 32 hex digits, or the bare UUID.`);
}

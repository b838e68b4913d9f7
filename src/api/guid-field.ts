import * as z from "zod";
import type { ErrorCode } from "../lib/errors/errors.ts";
import { tryParseGuid } from "../platform/guid.ts";

const GIVEN_CHARS_MAX = 80;

/**
 * A GUID in a path: accepted with or without dashes, returned in canonical form; a malformed one is `code`
 * (docs/contract/conventions.md#identifiers).
 */
export function guidField(what: string, code: ErrorCode = "invalid_id") {
  return z
    .string()
    .transform((given, refinement) => {
      const guid = tryParseGuid(given);
      if (guid === undefined) {
        refinement.addIssue({
          code: "custom",
          params: { code },
          message: `"${given.slice(0, GIVEN_CHARS_MAX).toWellFormed()}" is not a GUID of ${what}. Send it exactly as it was returned.`,
        });
        return z.NEVER;
      }
      return guid;
    })
    .describe(`A GUID of ${what}, with or without dashes.`);
}

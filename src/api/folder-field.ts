import * as z from "zod";
import { tryParseId } from "../platform/ids.ts";

const GIVEN_CHARS_MAX = 80;

/**
 * A folder in a path or body: its id, or `root` for the top level, which is null internally. A malformed id is
 * `invalid_id`.
 */
export const folderField = z
  .string("Send a folder's id, or `root` or null for the top level.")
  .transform((given, refinement): string | null => {
    if (given === "root") {
      return null;
    }
    const id = tryParseId("folder", given);
    if (id === undefined) {
      refinement.addIssue({
        code: "custom",
        params: { code: "invalid_id" },
        message: `"${given.slice(0, GIVEN_CHARS_MAX)}" is not a folder id. Send it exactly as it was returned: fld_ and 32 hex digits. \`root\`, or null in a body, is the top level.`,
      });
      return z.NEVER;
    }
    return id;
  })
  .describe("`fld_` and 32 hex digits; `root` is the top level.");

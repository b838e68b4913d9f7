import type { FileTypesApi } from "../../contracts/files/file-types.ts";
import type { DetectType } from "../../formats/sniff-file.ts";
import { AppError } from "../../lib/errors/errors.ts";

/**
 * Detects types in the runner, which has the detector (docs/decisions/bundle-size.md). The detector throws
 * `service_unavailable` if the runner does not respond.
 */
export function askFileTypes({ FILE_TYPES }: { readonly FILE_TYPES: FileTypesApi }): DetectType {
  return async (head) => {
    try {
      return (await FILE_TYPES.detect({ v: 1, head })) ?? undefined;
    } catch (cause) {
      throw new AppError(
        "service_unavailable",
        "The types of files cannot be checked at the moment, and unchecked files are not accepted. Try again.",
        { cause, headers: { "retry-after": "5" } },
      );
    }
  };
}

import { findNumberFormat, type NumberFormat } from "../../lib/json/number-format.ts";
import { DatasetError, shown } from "../dataset-error.ts";

/**
 * The format of a BCP 47 tag, or `invariant`. Throws DatasetError `validation_error` for anything
 * else.
 */
export function numberFormat(locale: string): NumberFormat {
  const format = findNumberFormat(locale);
  if (format === undefined) {
    throw new DatasetError(
      "validation_error",
      `locale: ${shown(locale)} is not a locale. Send "invariant" or a tag such as "de-DE".`,
    );
  }
  return format;
}

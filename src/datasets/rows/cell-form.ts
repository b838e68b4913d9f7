import type { DatasetFormat } from "../../contracts/dataset.ts";
import { numberFormat } from "../infer/locale-format.ts";
import type { CellForm } from "./convert-cell.ts";

/** The notation of a dataset's cells. Throws DatasetError for an unknown locale. */
export function cellForm(format: DatasetFormat, locale: string): CellForm {
  switch (format) {
    case "csv":
    case "tsv":
      return { isText: true, numbers: numberFormat(locale) };
    case "xlsx":
      return { isText: false, numbers: numberFormat(locale) };
    case "json":
    case "ndjson":
      return { isText: false };
  }
}

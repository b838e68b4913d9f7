import type { DatasetFormat } from "../../contracts/dataset.ts";
import { numberFormat } from "../infer/locale-format.ts";
import type { CellForm } from "./convert-cell.ts";

/** How the cells of a dataset are written. Throws DatasetError for a locale that there is not. */
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

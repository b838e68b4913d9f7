import { DatasetError } from "../dataset-error.ts";
import { CsvTokenizer } from "./csv-tokenizer.ts";

/** In order of preference if two fit equally well (docs/contract/datasets.md#reading-rules). */
const DELIMITERS = [",", ";", "\t", "|"] as const;

const SAMPLE_CHARS_MAX = 64 * 1024;
const SAMPLE_ROWS_MAX = 100;

interface Fit {
  readonly delimiter: string;
  /** Fraction of the rows that have the usual number of fields. */
  readonly agreement: number;
  readonly fields: number;
}

/**
 * The delimiter that splits the beginning of a CSV text into the most regular table; `,` for a
 * single column.
 */
export function sniffDelimiter(text: string): string {
  const best = DELIMITERS.map((delimiter) => fit(text.slice(0, SAMPLE_CHARS_MAX), delimiter))
    .filter((candidate) => candidate.fields > 1)
    .toSorted((a, b) => b.agreement - a.agreement || b.fields - a.fields)[0];
  return best?.delimiter ?? ",";
}

function fit(sample: string, delimiter: string): Fit {
  const rowsByFields = new Map<number, number>();
  let rows = 0;
  const tokenizer = new CsvTokenizer(delimiter, (row) => {
    const isBlank = row.fieldCount === 1 && row.field(0).trim() === "";
    if (!isBlank) {
      rows++;
      rowsByFields.set(row.fieldCount, (rowsByFields.get(row.fieldCount) ?? 0) + 1);
    }
    if (rows === SAMPLE_ROWS_MAX) {
      tokenizer.stop();
    }
  });
  try {
    tokenizer.write(sample);
    // A row cut off by the end of the sample would have too few fields; it is used only if there is
    // no other.
    if (rows === 0) {
      tokenizer.finish();
    }
  } catch (error) {
    if (!(error instanceof DatasetError)) {
      throw error;
    }
    return { delimiter, agreement: 0, fields: rows === 0 ? 0 : usual(rowsByFields)[0] };
  }
  const [fields, count] = usual(rowsByFields);
  return { delimiter, agreement: rows === 0 ? 0 : count / rows, fields };
}

/** The most frequent number of fields in a row, and the number of rows that have it. */
function usual(rowsByFields: ReadonlyMap<number, number>): readonly [number, number] {
  return (
    [...rowsByFields].toSorted(([fieldsA, a], [fieldsB, b]) => b - a || fieldsB - fieldsA)[0] ?? [
      0, 0,
    ]
  );
}

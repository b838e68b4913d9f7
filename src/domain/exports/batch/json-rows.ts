import { stringifyJson } from "../../../lib/json/exact-json.ts";
import {
  type ExportOutput,
  type ExportRow,
  type ExportValue,
  FIXED_COLUMNS,
  jsonInMemory,
  jsonPieces,
  listInMemory,
  type Pieces,
  type RowFormat,
  type RowKeys,
} from "./export-row.ts";

/** A JSON array of rows, or with `isLines` a row on each line. */
export function jsonRows(keys: RowKeys, isLines: boolean): RowFormat {
  return {
    head: isLines ? "" : "[",
    *row(row: ExportRow): Pieces {
      if (!isLines) {
        yield row.index === 0 ? "\n" : ",\n";
      }
      const fixed = FIXED_COLUMNS.map(
        (name) => `${stringifyJson(name)}:${stringifyJson(row[name])}`,
      );
      yield `{${fixed.join(",")}`;
      if (keys.inputs !== null) {
        // An input that the item does not have is left out: null would be a value.
        const given = keys.inputs.flatMap((key, at) => {
          const value = row.inputs[at] ?? null;
          return value === null ? [] : [[key, value] as const];
        });
        yield ',"inputs":';
        yield* members(given);
      }
      yield ',"outputs":';
      yield* members(keys.outputs.map((key, at) => [key, row.outputs[at] ?? null] as const));
      yield isLines ? "}\n" : "}";
    },
    tail: isLines ? "" : "\n]\n",
  };
}

function* members(
  entries: readonly (readonly [string, ExportOutput])[],
): Generator<string | AsyncIterable<string>> {
  yield "{";
  for (const [at, [key, value]] of entries.entries()) {
    yield `${at === 0 ? "" : ","}${stringifyJson(key)}:`;
    yield jsonOf(value);
  }
  yield "}";
}

function jsonOf(value: ExportOutput): string | AsyncIterable<string> {
  const text =
    value?.kind === "file"
      ? fileJson(value)
      : value?.kind === "many"
        ? // A list with a file in it has objects in place of addresses.
          hasFile(value.of)
          ? undefined
          : listInMemory(value.of)
        : jsonInMemory(value);
  return text ?? jsonPieces(value, fileJson);
}

function hasFile(of: Extract<ExportOutput, { kind: "many" }>["of"]): boolean {
  return typeof of === "function" || of.some((element) => element?.kind === "file");
}

function fileJson({ url, content_type, size_bytes }: Extract<ExportValue, { kind: "file" }>) {
  return stringifyJson({ url, content_type, size_bytes });
}

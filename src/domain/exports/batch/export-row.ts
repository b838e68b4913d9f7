/** The rows of a batch's export, and what all formats have in common (docs/contract/batches.md#exports). */
import { stringifyJson } from "../../../lib/json/exact-json.ts";

/** A text in memory, or the pieces of a long one, which are read when they are written. */
export type LongText = string | (() => AsyncIterable<string>);

export type ExportValue =
  /** Prose, which is itself. */
  | { readonly kind: "text"; readonly text: LongText }
  /** JSON text, compact. */
  | { readonly kind: "json"; readonly text: LongText }
  | {
      readonly kind: "file";
      readonly url: string;
      readonly content_type: string;
      readonly size_bytes: number;
    };

/** Elements of an iterated output, null for one that is absent or missing. */
export type ExportElements =
  | readonly (ExportValue | null)[]
  | (() => AsyncIterable<ExportValue | null>);

/** Null if it is absent or missing. */
export type ExportOutput =
  | ExportValue
  | { readonly kind: "many"; readonly of: ExportElements }
  | null;

export interface ExportRow {
  readonly index: number;
  readonly client_reference: string | null;
  readonly status: string;
  readonly execution: string | null;
  readonly credits_used: number;
  readonly error_code: string | null;
  readonly error_message: string | null;
  /** In the order of the columns; null for one that the item does not have. Empty unless inputs are exported. */
  readonly inputs: readonly (ExportValue | null)[];
  readonly outputs: readonly ExportOutput[];
}

/** Keys of the columns of inputs and outputs; `inputs` is null if they are not exported. */
export interface RowKeys {
  readonly inputs: readonly string[] | null;
  readonly outputs: readonly string[];
}

/** Columns that each row has. */
export const FIXED_COLUMNS = [
  "index",
  "client_reference",
  "status",
  "execution",
  "credits_used",
  "error_code",
  "error_message",
] as const;

/** Pieces of a text: strings, and streams of them for what is not in memory. */
export type Pieces = Iterable<string | AsyncIterable<string>>;

/** Writes rows as text. */
export interface RowFormat {
  readonly head: string;
  row(row: ExportRow): Pieces;
  readonly tail: string;
}

export function columnNames({ inputs, outputs }: RowKeys): string[] {
  return [
    ...FIXED_COLUMNS,
    ...(inputs ?? []).map((key) => `input.${key}`),
    ...outputs.map((key) => `output.${key}`),
  ];
}

/** The values of the columns of inputs and outputs. */
export function valuesOf({ inputs, outputs }: ExportRow): readonly ExportOutput[] {
  return [...inputs, ...outputs];
}

/** A value as JSON text in memory; undefined if it is not in memory. Files are their addresses. */
export function jsonInMemory(value: ExportValue | null): string | undefined {
  switch (value?.kind) {
    case undefined:
      return "null";
    case "file":
      return stringifyJson(value.url);
    case "text":
      return typeof value.text === "string" ? stringifyJson(value.text) : undefined;
    case "json":
      return typeof value.text === "string" ? value.text : undefined;
  }
}

/** JSON text of a list in memory; undefined if any part is not. */
export function listInMemory(of: ExportElements): string | undefined {
  if (typeof of === "function") {
    return undefined;
  }
  const texts: string[] = [];
  for (const element of of) {
    const text = jsonInMemory(element);
    if (text === undefined) {
      return undefined;
    }
    texts.push(text);
  }
  return `[${texts.join(",")}]`;
}

/** JSON text of any value, in pieces. `fileJson` writes files. */
export async function* jsonPieces(
  value: ExportOutput,
  fileJson: (file: Extract<ExportValue, { kind: "file" }>) => string,
): AsyncGenerator<string> {
  if (value === null) {
    yield "null";
  } else if (value.kind === "many") {
    yield "[";
    let isFirst = true;
    for await (const element of typeof value.of === "function" ? value.of() : value.of) {
      if (!isFirst) {
        yield ",";
      }
      isFirst = false;
      yield* jsonPieces(element, fileJson);
    }
    yield "]";
  } else if (value.kind === "file") {
    yield fileJson(value);
  } else if (typeof value.text === "string") {
    yield value.kind === "json" ? value.text : stringifyJson(value.text);
  } else if (value.kind === "json") {
    yield* value.text();
  } else {
    yield '"';
    for await (const piece of value.text()) {
      yield stringifyJson(piece).slice(1, -1);
    }
    yield '"';
  }
}

/** The address of a file as JSON. */
export function addressJson({ url }: { readonly url: string }): string {
  return stringifyJson(url);
}

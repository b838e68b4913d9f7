/** Codes of docs/contract/problems.md#codes for datasets that cannot be read. */
export type DatasetErrorCode =
  | "unsupported_format"
  | "duplicate_column"
  | "ambiguous_table"
  | "invalid_data"
  | "row_limit_exceeded"
  | "file_too_large"
  | "validation_error";

/**
 * A dataset that cannot be read as requested. The message is public: it has the location and the
 * rule. An endpoint returns the code, a node fails with it in upper case.
 */
export class DatasetError extends Error {
  override readonly name = "DatasetError";
  readonly code: DatasetErrorCode;

  constructor(code: DatasetErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

const SHOWN_CHARS_MAX = 60;

/** A piece of the file for a message: short, on one line, without splitting a character. */
export function shown(text: string): string {
  const cut = text.length > SHOWN_CHARS_MAX ? `${text.slice(0, SHOWN_CHARS_MAX)}…` : text;
  return JSON.stringify(cut.toWellFormed());
}

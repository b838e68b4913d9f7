import type { ByteSource } from "../../lib/files/byte-source.ts";
import { DatasetError } from "../dataset-error.ts";
import { coalesceChunks } from "./coalesce-chunks.ts";

export type TextEncoding = "utf-8" | "windows-1252";

/** Thrown by `decodeText` if the bytes are not UTF-8: the caller starts over with Windows-1252. */
export class NotUtf8Error extends Error {
  override readonly name = "NotUtf8Error";
}

/**
 * The text of a source in pieces, without a byte order mark. Throws NotUtf8Error, and DatasetError
 * if the bytes are not text in either encoding (docs/contract/datasets.md#reading-rules: UTF-8,
 * otherwise Windows-1252).
 */
export async function* decodeText(
  source: ByteSource,
  encoding: TextEncoding,
): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding, {
    fatal: encoding === "utf-8",
    ignoreBOM: false,
  });
  let isFirst = true;
  for await (const piece of coalesceChunks(await source.stream(), true)) {
    if (isFirst) {
      refuseOtherEncodings(piece);
      isFirst = false;
    }
    yield checked(decode(decoder, piece));
  }
  yield checked(decode(decoder, undefined));
}

function decode(decoder: TextDecoder, piece: Uint8Array | undefined): string {
  try {
    return piece === undefined ? decoder.decode() : decoder.decode(piece, { stream: true });
  } catch (error) {
    if (error instanceof TypeError) {
      throw new NotUtf8Error();
    }
    throw error;
  }
}

/** Text has no NUL character; a file that has one is binary, whatever its name is. */
function checked(text: string): string {
  if (text.includes("\0")) {
    throw new DatasetError(
      "invalid_data",
      "The file contains NUL characters, so it is not a text file. Send CSV, TSV, JSON or NDJSON in UTF-8.",
    );
  }
  return text;
}

function refuseOtherEncodings(start: Uint8Array): void {
  const [a, b] = start;
  if ((a === 0xff && b === 0xfe) || (a === 0xfe && b === 0xff)) {
    throw new DatasetError(
      "invalid_data",
      "The file is UTF-16. Save it as UTF-8 and send it again.",
    );
  }
}

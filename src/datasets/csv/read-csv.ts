import type { ByteSource } from "../../lib/files/byte-source.ts";
import { decodeText, NotUtf8Error, type TextEncoding } from "../text/decode-text.ts";
import { CsvTable, type CsvSink } from "./csv-table.ts";
import { sniffDelimiter } from "./sniff-delimiter.ts";

export interface CsvOptions {
  /** One character; undefined means automatic detection. */
  readonly delimiter: string | undefined;
  readonly headerRow: number;
}

export interface CsvMetadata {
  readonly encoding: TextEncoding;
  readonly delimiter: string;
}

/**
 * Reads a whole CSV file into a sink. `start` creates the sink, and a new one if the file turns out
 * not to be UTF-8 (the rows of the first sink are then void); `drained` is awaited after every
 * piece. Throws DatasetError.
 */
export async function readCsv<S extends CsvSink>(
  source: ByteSource,
  options: CsvOptions,
  start: (metadata: CsvMetadata) => S,
  drained: (sink: S) => Promise<void> | undefined = () => undefined,
): Promise<{ readonly sink: S; readonly metadata: CsvMetadata }> {
  try {
    return await readAs("utf-8", source, options, start, drained);
  } catch (error) {
    if (!(error instanceof NotUtf8Error)) {
      throw error;
    }
    return await readAs("windows-1252", source, options, start, drained);
  }
}

async function readAs<S extends CsvSink>(
  encoding: TextEncoding,
  source: ByteSource,
  options: CsvOptions,
  start: (metadata: CsvMetadata) => S,
  drained: (sink: S) => Promise<void> | undefined,
) {
  let reading: { table: CsvTable; sink: S; metadata: CsvMetadata } | undefined;
  const open = (text: string) => {
    const metadata = { encoding, delimiter: options.delimiter ?? sniffDelimiter(text) };
    const sink = start(metadata);
    return { table: new CsvTable(metadata.delimiter, options.headerRow, sink), sink, metadata };
  };
  for await (const piece of decodeText(source, encoding)) {
    reading ??= open(piece);
    reading.table.write(piece);
    const pending = drained(reading.sink);
    if (pending !== undefined) {
      await pending;
    }
  }
  reading ??= open("");
  reading.table.finish();
  await drained(reading.sink);
  return { sink: reading.sink, metadata: reading.metadata };
}

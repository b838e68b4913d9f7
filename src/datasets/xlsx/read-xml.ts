import { DatasetError } from "../dataset-error.ts";
import { broken } from "./broken-workbook.ts";
import { type XmlEvents, XmlProblem, XmlScanner } from "./xml-scanner.ts";

const PIECE_BYTES = 64 * 1024;

export interface XmlHandler extends XmlEvents {
  /** Awaited after every piece, so that its results can be stored. */
  drained?(): Promise<void> | undefined;
}

/**
 * Reads one XML part of a workbook piece by piece, with the limits of `XmlScanner`. Throws
 * DatasetError.
 */
export async function readXml(
  bytes: AsyncGenerator<Uint8Array>,
  part: string,
  handler: XmlHandler,
): Promise<void> {
  const scanner = new XmlScanner(handler);
  try {
    for await (const text of decoded(bytes, part)) {
      scanner.write(text);
      const pending = handler.drained?.();
      if (pending !== undefined) {
        await pending;
      }
    }
    scanner.finish();
  } catch (error) {
    if (error instanceof XmlProblem) {
      throw broken(`${part} ${error.message}`);
    }
    throw error;
  }
}

async function* decoded(bytes: AsyncGenerator<Uint8Array>, part: string): AsyncGenerator<string> {
  let decoder: TextDecoder | undefined;
  let carried = "";
  const decode = (chunk: Uint8Array | undefined): string => {
    try {
      return decoder?.decode(chunk, { stream: chunk !== undefined }) ?? "";
    } catch (error) {
      if (error instanceof TypeError) {
        throw new DatasetError(
          "invalid_data",
          `The workbook cannot be read: ${part} is not UTF-8.`,
        );
      }
      throw error;
    }
  };
  for await (const chunk of bytes) {
    decoder ??= new TextDecoder(chunk[0] === 0xff && chunk[1] === 0xfe ? "utf-16le" : "utf-8", {
      fatal: true,
      ignoreBOM: false,
    });
    for (let at = 0; at < chunk.length; at += PIECE_BYTES) {
      const text = carried + decode(chunk.subarray(at, at + PIECE_BYTES));
      // A CR is read together with the LF that may follow it.
      const isCut = text.endsWith("\r");
      carried = isCut ? "\r" : "";
      yield isCut ? text.slice(0, -1) : text;
    }
  }
  yield carried + decode(undefined);
}

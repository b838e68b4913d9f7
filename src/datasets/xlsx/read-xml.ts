import { SaxesParser } from "saxes";
import { DatasetError } from "../dataset-error.ts";
import { broken } from "./broken-workbook.ts";

/** Deepest element that a part of a workbook needs, with room. */
const DEPTH_MAX = 64;
/** Longest text, tag or comment; a cell holds 32,767 characters. */
const TOKEN_CHARS_MAX = 1024 * 1024;
const PIECE_BYTES = 64 * 1024;

export interface XmlHandler {
  /** An element's local name and its attributes with their prefixes. */
  open(name: string, attributes: Readonly<Record<string, string>>): void;
  text(text: string): void;
  close(name: string): void;
  /** Awaited after every piece, so that what was made of it can be put away. */
  drained?(): Promise<void> | undefined;
}

/**
 * Reads one XML part piece by piece. A DOCTYPE is refused, so there are no entities to expand; depth
 * and the length of any one token are capped. Throws DatasetError.
 */
export async function readXml(
  bytes: AsyncGenerator<Uint8Array>,
  part: string,
  handler: XmlHandler,
): Promise<void> {
  const parser = new SaxesParser<{ position: false; xmlns: false }>({
    position: false,
    xmlns: false,
  });
  let depth = 0;
  let sinceEvent = 0;
  parser.on("doctype", () => {
    throw broken(`${part} has a DOCTYPE, which no workbook needs`);
  });
  parser.on("error", (error) => {
    throw broken(`${part} is not well-formed XML (${error.message.slice(0, 120)})`);
  });
  parser.on("opentag", (tag) => {
    sinceEvent = 0;
    depth++;
    if (depth > DEPTH_MAX) {
      throw broken(`${part} nests deeper than ${DEPTH_MAX} levels`);
    }
    handler.open(localName(tag.name), tag.attributes);
  });
  parser.on("text", (text) => {
    sinceEvent = 0;
    handler.text(text);
  });
  parser.on("cdata", (text) => {
    sinceEvent = 0;
    handler.text(text);
  });
  parser.on("closetag", (tag) => {
    sinceEvent = 0;
    depth--;
    handler.close(localName(tag.name));
  });
  for await (const text of decoded(bytes, part)) {
    sinceEvent += text.length;
    parser.write(text);
    if (sinceEvent > TOKEN_CHARS_MAX) {
      throw broken(`${part} has a text or tag longer than ${TOKEN_CHARS_MAX} characters`);
    }
    const pending = handler.drained?.();
    if (pending !== undefined) {
      await pending;
    }
  }
  parser.close();
}

async function* decoded(bytes: AsyncGenerator<Uint8Array>, part: string): AsyncGenerator<string> {
  let decoder: TextDecoder | undefined;
  for await (const chunk of bytes) {
    decoder ??= new TextDecoder(chunk[0] === 0xff && chunk[1] === 0xfe ? "utf-16le" : "utf-8", {
      fatal: true,
      ignoreBOM: false,
    });
    for (let at = 0; at < chunk.length; at += PIECE_BYTES) {
      try {
        yield decoder.decode(chunk.subarray(at, at + PIECE_BYTES), { stream: true });
      } catch (error) {
        if (error instanceof TypeError) {
          throw new DatasetError(
            "invalid_data",
            `The workbook cannot be read: ${part} is not UTF-8.`,
          );
        }
        throw error;
      }
    }
  }
}

/** `x:row` and `row` are the same element here: only one vocabulary has the names that are read. */
function localName(name: string): string {
  const colon = name.indexOf(":");
  return colon < 0 ? name : name.slice(colon + 1);
}

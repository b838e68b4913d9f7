import type { ByteSource } from "../../lib/files/byte-source.ts";
import { type JsonValue, parseJson } from "../../lib/json/exact-json.ts";
import { isJsonTextDeeperThan } from "../../lib/json/json-text-depth.ts";
import { VALUE_DEPTH_MAX } from "../../lib/json/value-depth.ts";
import { DatasetError } from "../dataset-error.ts";
import { decodeText, NotUtf8Error } from "../text/decode-text.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";

const LINE_CHARS_MAX = LIMITS.json_element.value;

/**
 * Values of an NDJSON file in order, page by page; blank lines are skipped. Throws DatasetError.
 */
export async function* ndjsonItems(source: ByteSource): AsyncGenerator<readonly JsonValue[]> {
  let rest = "";
  let number = 0;
  const parseLine = (line: string, page: JsonValue[]) => {
    number++;
    if (line.trim() !== "") {
      page.push(parse(line, number));
    }
  };
  try {
    for await (const piece of decodeText(source, "utf-8")) {
      const lines = (rest + piece).split("\n");
      rest = lines.pop() ?? "";
      if (rest.length > LINE_CHARS_MAX) {
        throw new DatasetError(
          "invalid_data",
          `Line ${number + lines.length + 1} is longer than ${LINE_CHARS_MAX} characters.`,
        );
      }
      const page: JsonValue[] = [];
      for (const line of lines) {
        parseLine(line, page);
      }
      yield page;
    }
  } catch (error) {
    if (error instanceof NotUtf8Error) {
      throw new DatasetError("invalid_data", "The file is not UTF-8, as JSON must be.");
    }
    throw error;
  }
  const page: JsonValue[] = [];
  parseLine(rest, page);
  yield page;
}

function parse(line: string, number: number): JsonValue {
  if (isJsonTextDeeperThan(line, VALUE_DEPTH_MAX)) {
    throw new DatasetError(
      "invalid_data",
      `Line ${number} nests deeper than ${VALUE_DEPTH_MAX} levels.`,
    );
  }
  try {
    return parseJson(line);
  } catch {
    throw new DatasetError("invalid_data", `Line ${number} is not valid JSON.`);
  }
}

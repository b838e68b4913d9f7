import type { ByteSource } from "../../lib/files/byte-source.ts";
import { isJsonObject, type JsonValue } from "../../lib/json/exact-json.ts";
import { DatasetError, shown } from "../dataset-error.ts";
import { coalesceChunks } from "../text/coalesce-chunks.ts";
import { type ArrayMetadata, JsonWalker } from "./json-walker.ts";
import { parseTablePath, writeTablePath } from "./table-path.ts";

/** Maximum number of arrays listed in an error message. */
const SHOWN_TABLES_MAX = 20;
/** Maximum number of arrays remembered: a document of empty arrays must not fill the memory. */
const TABLES_MAX = 10_000;

/**
 * Elements of the array at `table`, without loading other arrays or the whole file. Throws
 * DatasetError.
 */
export async function* jsonItems(
  source: ByteSource,
  table: string,
  isExact: () => boolean = () => true,
): AsyncGenerator<readonly JsonValue[]> {
  const keys = parseTablePath(table);
  let page: JsonValue[] = [];
  let found = 0;
  const walker = new JsonWalker({
    wants: (at) => {
      const isIt = at.length === keys.length && at.every((key, index) => key === keys[index]);
      found += isIt ? 1 : 0;
      if (found > 1) {
        throw new DatasetError("invalid_data", `The document has ${shown(table)} twice.`);
      }
      return isIt;
    },
    items: (items) => {
      page = page.length === 0 ? (items as JsonValue[]) : [...page, ...items];
    },
    passed: () => undefined,
    isExact,
  });
  for await (const piece of coalesceChunks(await source.stream())) {
    walker.write(piece);
    if (page.length > 0) {
      yield page;
      page = [];
    }
  }
  walker.finish();
  if (found === 0) {
    throw new DatasetError(
      "invalid_data",
      `The document has no array at ${shown(table)}. Omit table to get a list of the arrays, or correct it.`,
    );
  }
}

/**
 * The path of the only array of objects in a document. Throws DatasetError `ambiguous_table` with
 * their paths if there are several (docs/contract/datasets.md#reading-rules), `invalid_data` if
 * there is none.
 */
export async function findTable(source: ByteSource): Promise<string> {
  const arrays: ArrayMetadata[] = [];
  const walker = new JsonWalker({
    wants: () => false,
    items: () => undefined,
    passed: (array) => {
      if (array.isTable && arrays.length < TABLES_MAX) {
        arrays.push(array);
      }
    },
    isExact: () => false,
  });
  for await (const piece of coalesceChunks(await source.stream())) {
    walker.write(piece);
  }
  walker.finish();
  // An empty array is the table only if there is no other one.
  const filled = arrays.filter(({ items }) => items > 0);
  const tables = (filled.length > 0 ? filled : arrays).map(({ keys }) => writeTablePath(keys));
  const [only] = tables;
  if (only === undefined) {
    throw new DatasetError(
      "invalid_data",
      "The document has no array of objects and therefore no table.",
    );
  }
  if (tables.length > 1) {
    const named = tables.slice(0, SHOWN_TABLES_MAX).map((table) => JSON.stringify(table));
    const more = tables.length > named.length ? `, and ${tables.length - named.length} more` : "";
    throw new DatasetError(
      "ambiguous_table",
      `The document has ${tables.length} arrays of objects: ${named.join(", ")}${more}. Send one of them as table.`,
    );
  }
  return only;
}

/**
 * An element as a row. Throws DatasetError if it is not an object
 * (docs/contract/datasets.md#reading-rules).
 */
export function asRow(item: JsonValue, index: number): { readonly [key: string]: JsonValue } {
  if (!isJsonObject(item)) {
    throw new DatasetError(
      "invalid_data",
      `Element ${index} (counted from 0) is not an object. A table is an array of objects.`,
    );
  }
  return item;
}

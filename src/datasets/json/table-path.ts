import { DatasetError, shown } from "../dataset-error.ts";

const KEYS_MAX = 64;

const STEP = /\.?([^.[\]"']+)|\[("(?:[^"\\]|\\.)*")\]|\[(\d+)\]/y;

/**
 * Keys from the root of a JSON document to an array: `$`, `$.a.b`, `a.b`, `$.a["b.c"]`. Throws
 * DatasetError `validation_error`.
 */
export function parseTablePath(table: string): readonly string[] {
  const keys: string[] = [];
  const isRooted = table === "$" || table.startsWith("$.") || table.startsWith("$[");
  const path = isRooted ? table.slice(1) : table;
  STEP.lastIndex = 0;
  let at = 0;
  while (at < path.length) {
    STEP.lastIndex = at;
    const found = STEP.exec(path);
    const key = found?.[1] ?? quoted(found?.[2]);
    const needsDot = at > 0 || isRooted;
    const hasDot = path[at] === ".";
    if (
      found === null ||
      key === undefined ||
      (found[1] !== undefined && hasDot !== needsDot) ||
      keys.length === KEYS_MAX
    ) {
      throw new DatasetError(
        "validation_error",
        `table: ${shown(table)} is not a path to an array. Write $, $.orders, orders.lines or $.orders["two words"]; a path cannot lead into elements of arrays.`,
      );
    }
    keys.push(key);
    at = STEP.lastIndex;
  }
  return keys;
}

function quoted(text: string | undefined): string | undefined {
  try {
    return text === undefined ? undefined : (JSON.parse(text) as string);
  } catch {
    return undefined;
  }
}

/** The path in the notation that `parseTablePath` reads. */
export function writeTablePath(keys: readonly string[]): string {
  return `$${keys.map((key) => (/^[^.[\]"'\s]+$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`)).join("")}`;
}

/**
 * The outputs of one cell as one row's text: a list of `[port, stored value]`. Not an object, because authors choose
 * the port names.
 */
import type { StoredValue } from "../../contracts/task.ts";
import { parseJson, type JsonValue } from "../../lib/exact-json.ts";
import type { RunValue } from "../../nodes/define-ports.ts";
import { readStored, type SpilledValue } from "../values.ts";

export type CellValue = RunValue | SpilledValue;

/** Names that need no escapes in JSON. */
const PLAIN_NAME = /^\w+$/;

const SINGLE_CHARS_MAX = 200;

/** One output: an integer that a double represents exactly, or a text without escapes. */
const SINGLE = /^\[\["(\w+)",\["j",(?:(0|-?[1-9]\d{0,14})|"([^"\\]*)")\]\]\]$/;

/** `outputs` are already in stored form. */
export function joinOutputs(
  outputs: Iterable<readonly [port: string, stored: StoredValue]>,
): string {
  let text = "";
  for (const [port, stored] of outputs) {
    const name = PLAIN_NAME.test(port) ? `"${port}"` : JSON.stringify(port);
    text += `${text === "" ? "" : ","}[${name},${stored}]`;
  }
  return `[${text}]`;
}

export function readOutputs(text: string): Map<string, CellValue> {
  const outputs = new Map<string, CellValue>();
  // A fan-out reads thousands of single integers and short texts: these need no JSON parser.
  const single = text.length <= SINGLE_CHARS_MAX ? SINGLE.exec(text) : null;
  if (single !== null) {
    const [, port = "", whole, string = ""] = single;
    return outputs.set(port, whole === undefined ? string : Number(whole));
  }
  for (const entry of parseJson(text) as readonly (readonly [string, JsonValue])[]) {
    outputs.set(entry[0], readStored(entry[1]));
  }
  return outputs;
}

/** Whether outputs may contain a file, or a value that was too long for a row. A customer's JSON may look like one. */
export function mayHoldFile(text: string): boolean {
  // Most outputs contain no object: one search instead of two.
  return text.includes('",{') && (text.includes('["f",{') || text.includes('["s",{'));
}

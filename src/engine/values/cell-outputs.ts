/**
 * The outputs of one cell as one row's text: a list of `[port, stored value]`. Not an object, because authors choose
 * the port names.
 */
import type { StoredValue } from "../../contracts/runs/task.ts";
import { parseJson, type JsonValue } from "../../lib/json/exact-json.ts";
import type { RunValue } from "../../nodes/define-ports.ts";
import { readStored, type SpilledValue } from "../values.ts";

export type CellValue = RunValue | SpilledValue;

/** Names that need no escapes in JSON. */
const PLAIN_NAME = /^\w+$/;

/** Characters of outputs that are looked at without a parser. */
export const PLAIN_OUTPUTS_CHARS_MAX = 200;

/** One output: an integer that a double represents exactly, or a text without escapes. */
const PLAIN = /\["(\w+)",\["j",(?:(0|-?[1-9]\d{0,14})|"([^"\\]*)")\]\]/y;

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

/** Outputs whose text depends on nothing but their content: integers and texts without escapes. */
const PLAIN_OUTPUTS =
  /^\[(?:\["\w+",\["j",(?:0|-?[1-9]\d{0,14}|"[^"\\]*")\]\](?:,(?=\[)|(?=\]$)))+\]$/;

/** Whether the outputs of a row are all integers and texts without escapes, and short. */
export function arePlainOutputs(text: string): boolean {
  return text.length <= PLAIN_OUTPUTS_CHARS_MAX && PLAIN_OUTPUTS.test(text);
}

/** One output that is an integer or a text without escapes. */
const PLAIN_OUTPUT = /^\[\["\w+",\["j",(0|-?[1-9]\d{0,14}|"[^"\\]*")\]\]\]$/;

/** The JSON text of the only output of a row, if it is an integer or a text without escapes, and short. */
export function plainOutput(text: string): string | undefined {
  return text.length <= PLAIN_OUTPUTS_CHARS_MAX ? PLAIN_OUTPUT.exec(text)?.[1] : undefined;
}

export function readOutputs(text: string): Map<string, CellValue> {
  // A fan-out reads thousands of integers and short texts: these need no JSON parser.
  const plain = text.length <= PLAIN_OUTPUTS_CHARS_MAX ? readPlain(text) : undefined;
  if (plain !== undefined) {
    return plain;
  }
  const outputs = new Map<string, CellValue>();
  for (const entry of parseJson(text) as readonly (readonly [string, JsonValue])[]) {
    outputs.set(entry[0], readStored(entry[1]));
  }
  return outputs;
}

/** Outputs that are all integers and texts without escapes; undefined for any other text. */
function readPlain(text: string): Map<string, CellValue> | undefined {
  const outputs = new Map<string, CellValue>();
  for (let at = 1; ; at++) {
    PLAIN.lastIndex = at;
    const found = PLAIN.exec(text);
    if (found === null) {
      return undefined;
    }
    const [all, port = "", whole, string = ""] = found;
    outputs.set(port, whole === undefined ? string : Number(whole));
    at += all.length;
    if (text[at] !== ",") {
      return text[at] === "]" && at + 1 === text.length ? outputs : undefined;
    }
  }
}

/** Whether outputs may contain a file, or a value that was too long for a row. A customer's JSON may look like one. */
export function mayHoldFile(text: string): boolean {
  // Most outputs contain no object: one search instead of two.
  return text.includes('",{') && (text.includes('["f",{') || text.includes('["s",{'));
}

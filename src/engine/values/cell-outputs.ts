/**
 * The outputs of one cell as one row's text: a list of `[port, stored value]`. Not an object, because authors choose
 * the port names.
 */
import type { StoredValue } from "../../contracts/task.ts";
import { parseJson, type JsonValue } from "../../lib/exact-json.ts";
import type { RunValue } from "../../nodes/define-ports.ts";
import { readStored, type SpilledValue } from "../values.ts";

export type CellValue = RunValue | SpilledValue;

/** `outputs` are already in stored form. */
export function joinOutputs(
  outputs: Iterable<readonly [port: string, stored: StoredValue]>,
): string {
  const parts: string[] = [];
  for (const [port, stored] of outputs) {
    parts.push(`[${JSON.stringify(port)},${stored}]`);
  }
  return `[${parts.join(",")}]`;
}

export function readOutputs(text: string): Map<string, CellValue> {
  const outputs = new Map<string, CellValue>();
  for (const entry of parseJson(text) as readonly (readonly [string, JsonValue])[]) {
    outputs.set(entry[0], readStored(entry[1]));
  }
  return outputs;
}

import type { JsonValue } from "../lib/json/exact-json.ts";

/** The address in a job's output that is an address or a list that begins with one. */
export function outputAddress(output: JsonValue): string | undefined {
  const first = Array.isArray(output) ? (output as readonly JsonValue[])[0] : output;
  return typeof first === "string" ? first : undefined;
}

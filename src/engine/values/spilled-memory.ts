/** Memory of a value that is read from R2 and parsed, for the isolate's budget. */
import { jsonMemory } from "../../lib/json/json-memory.ts";
import type { SpilledValue } from "../values.ts";

const MB = 1024 * 1024;

/**
 * Worst-case memory of a value in R2 before its parts are known: bytes, text (two bytes per character), and parsed small
 * parts. A single value takes at most the limit of a task.
 */
const UNKNOWN_COPIES = 12;
const VALUE_BYTES_MAX = 64 * MB;
/** Its bytes and its text, both at their maximum. */
const TEXT_COPIES = 3;

/** Before it is read. */
export function unreadBytes({ spilled }: SpilledValue): number {
  return Math.min(VALUE_BYTES_MAX, spilled.sizeBytes * UNKNOWN_COPIES);
}

/** Once its text is known. */
export function readBytes({ spilled }: SpilledValue, text: string): number {
  return Math.max(TEXT_COPIES * spilled.sizeBytes, jsonMemory(text));
}

import { type JsonValue, parseJson } from "./exact-json.ts";
import { jsonMemory } from "./json-memory.ts";
import { isJsonTextDeeperThan } from "./json-text-depth.ts";
import { LIMITS } from "../limits/limits-table.ts";

/** A Markdown fence around the whole text. */
const FENCE = /^```[A-Za-z0-9]*[ \t]*\r?\n([\s\S]*?)\r?\n?```$/;

/**
 * The JSON document of a model's answer, without the fence that many models put around it; undefined if it is none, or if its
 * value would take more memory than that of any answer of the most tokens.
 */
export function parseAnswer(
  answer: string,
): { readonly text: string; readonly document: JsonValue } | undefined {
  const trimmed = answer.trim();
  const text = (FENCE.exec(trimmed)?.[1] ?? trimmed).trim();
  if (
    isJsonTextDeeperThan(text, LIMITS.value_depth.value) ||
    jsonMemory(text) > LIMITS.model_document.value
  ) {
    return undefined;
  }
  try {
    return { text, document: parseJson(text) };
  } catch {
    return undefined;
  }
}

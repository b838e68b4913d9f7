import { LIMITS } from "../../lib/limits-table.ts";

/** A run keeps its definition in one row of an object, whose limit is 2 MB; this leaves half of it for the rest. */
const DEFINITION_MAX_BYTES = LIMITS.definition.value;

/** What is wrong with the size of a definition's text; undefined when it fits. */
export function definitionSizeProblem(text: string): string | undefined {
  const bytes = new TextEncoder().encode(text).byteLength;
  return bytes > DEFINITION_MAX_BYTES
    ? `The definition has ${bytes} bytes of JSON, and at most ${DEFINITION_MAX_BYTES} are kept. Send large data as inputs or assets instead of defaults.`
    : undefined;
}

import { RE2JS } from "re2js";
import { BoundedCache } from "../lib/memory/bounded-cache.ts";
import { LIMITS } from "../lib/limits/limits-table.ts";

export const PATTERN_LENGTH_MAX = LIMITS.pattern.value;

const patterns = new BoundedCache<string, RE2JS>(256);

/**
 * A pattern for an engine whose time is linear in the text (RE2: no look-around, no back
 * references). `test` returns whether any part of the text matches. Throws Error with the reason if
 * the pattern does not compile.
 */
export function linearRegex(pattern: string): { test(text: string): boolean } {
  const compiled = patterns.getOrMake(pattern, () => {
    if (pattern.length > PATTERN_LENGTH_MAX) {
      throw new Error(`a pattern must not have more than ${PATTERN_LENGTH_MAX} characters`);
    }
    return RE2JS.compile(RE2JS.translateRegExp(pattern));
  });
  return { test: (text) => compiled.matcher(text).find() };
}

import { LIMITS } from "../lib/limits/limits-table.ts";

const NAME_CHARS_MAX = LIMITS.name.value;
const SUFFIX = " (copy)";

/** The name of a copy that was not given one. */
export function copyName(name: string): string {
  return nameWith(name, SUFFIX);
}

/** A name with a suffix, cut to the length of names. By code points: half of a surrogate pair is not valid in a name. */
export function nameWith(name: string, suffix: string): string {
  let kept = "";
  for (const character of name) {
    if (kept.length + character.length + suffix.length > NAME_CHARS_MAX) {
      break;
    }
    kept += character;
  }
  return kept + suffix;
}

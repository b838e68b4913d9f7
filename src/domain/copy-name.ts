import { LIMITS } from "../lib/limits-table.ts";

const NAME_CHARS_MAX = LIMITS.name.value;
const SUFFIX = " (copy)";

/** The name of a copy that was not given one. By code points: half of a surrogate pair is not valid in a name. */
export function copyName(name: string): string {
  let kept = "";
  for (const character of name) {
    if (kept.length + character.length + SUFFIX.length > NAME_CHARS_MAX) {
      break;
    }
    kept += character;
  }
  return kept + SUFFIX;
}

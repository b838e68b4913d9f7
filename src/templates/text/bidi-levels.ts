import bidiFactory from "bidi-js";
import type { TextDirection } from "./text-spec.ts";

const bidi = bidiFactory();

/** Letters of right-to-left scripts, and the controls of UAX 9. Other texts have one level. */
const RIGHT_TO_LEFT =
  /[\u0590-\u08ff\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

export interface BidiLevels {
  readonly baseLevel: number;
  /** For each UTF-16 unit; undefined if all have the base level. */
  readonly levels: Uint8Array | undefined;
}

/** The embedding levels of one paragraph by UAX 9, before the rules for lines. */
export function bidiLevels(text: string, direction: TextDirection): BidiLevels {
  const isPlain = !RIGHT_TO_LEFT.test(text);
  if (isPlain && direction !== "rtl") {
    return { baseLevel: 0, levels: undefined };
  }
  const { levels, paragraphs } = bidi.getEmbeddingLevels(text, direction);
  return { baseLevel: paragraphs[0]?.level ?? (direction === "rtl" ? 1 : 0), levels };
}

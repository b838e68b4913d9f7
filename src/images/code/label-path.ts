import type { Path, PathCommand } from "../vector/path.ts";
import { transformPath } from "../vector/path.ts";
import { LABEL_ADVANCE, LABEL_CAP_HEIGHT, LABEL_DESCENT, LABEL_GLYPHS } from "./label-glyphs.ts";

/** Heights as parts of the width that one character takes. */
export const LABEL_CAP_PER_ADVANCE = LABEL_CAP_HEIGHT / LABEL_ADVANCE;
export const LABEL_DESCENT_PER_ADVANCE = LABEL_DESCENT / LABEL_ADVANCE;

/** Printable ASCII as outlines, `advance` px a character, from `x` on the line `baseline`. */
export function labelPath(text: string, x: number, baseline: number, advance: number): Path {
  const factor = advance / LABEL_ADVANCE;
  return text.split("").flatMap((character, i) => {
    const glyph = LABEL_GLYPHS[character.charCodeAt(0) - 0x20] ?? "";
    return transformPath(parseOutline(glyph), factor, x + i * advance, baseline);
  });
}

const COMMAND = /([MLQZ])([^MLQZ]*)/g;

function parseOutline(data: string): Path {
  return [...data.matchAll(COMMAND)].map(([, letter, numbers = ""]): PathCommand => {
    const [a = 0, b = 0, c = 0, d = 0] = numbers.split(" ").map(Number);
    switch (letter) {
      case "M":
      case "L":
        return [letter, a, b];
      case "Q":
        return ["Q", a, b, c, d];
      default:
        return ["Z"];
    }
  });
}

import { invalidFont } from "./invalid-font.ts";

/**
 * Maximum number of steps to draw every glyph of a font once. The largest fonts in use (65,535
 * Chinese, Japanese and Korean glyphs) need about 20 million; a file of 200 KB could need 650
 * million.
 */
const STEPS_MAX = 60_000_000;

/** The budget for drawing a whole font. */
export class OutlineBudget {
  #left = STEPS_MAX;

  /** Throws FontError if the glyphs together need more steps than the budget. */
  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) {
      throw invalidFont(
        `The outlines are too complex: drawing every glyph once takes more than ${STEPS_MAX} steps`,
      );
    }
  }
}

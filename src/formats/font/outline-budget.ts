import { invalidFont } from "./invalid-font.ts";

/**
 * Steps of drawing every glyph of a font once. The largest fonts in use (65,535 glyphs of Chinese,
 * Japanese and Korean) take about 20 million; a file of 200 KB could ask for 650 million.
 */
const STEPS_MAX = 60_000_000;

/** What drawing a whole font may cost. */
export class OutlineBudget {
  #left = STEPS_MAX;

  /** Throws FontError when a font asks for more than all its glyphs may cost. */
  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) {
      throw invalidFont(
        `The outlines are too complex: drawing every glyph once takes more than ${STEPS_MAX} steps`,
      );
    }
  }
}

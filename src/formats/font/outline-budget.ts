import { invalidFont } from "./invalid-font.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";

const STEPS_MAX = LIMITS.outline_steps.value;

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

import { expect, test } from "vitest";
import { LIMITS } from "../../../../src/lib/limits/limits-table.ts";
import { RenderTooLargeError } from "../../../../src/templates/layout/options.ts";
import {
  SLICE_CHARACTERS,
  Slices,
  withoutPauses,
} from "../../../../src/templates/layout/slices.ts";
import type { LaidText } from "../../../../src/templates/text/laid-text.ts";

const HALF = LIMITS.render_page_text.value / 2;

/** A part of a layout whose texts print so many characters each. */
function lay(slices: Slices, printed: readonly number[]): void {
  withoutPauses(
    slices.run(() => {
      for (const charactersPrinted of printed) {
        // Nothing else of a text counts.
        slices.text(() => ({ characters: HALF * 9, charactersPrinted }) as LaidText);
      }
    }),
  );
}

test("the texts of a page may print as much as the limit says, those of the next page again", () => {
  const slices = new Slices(1);
  lay(slices, [HALF, HALF]);
  lay(slices, [HALF, HALF, 0]);
});

test("one character more is too large", () => {
  expect(() => {
    lay(new Slices(1), [HALF, HALF, 1]);
  }).toThrow(RenderTooLargeError);
});

test("no text is longer than what is laid out between two pauses", () => {
  expect(LIMITS.render_text.value).toBeLessThanOrEqual(SLICE_CHARACTERS);
});

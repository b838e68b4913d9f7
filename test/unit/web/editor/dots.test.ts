/** The dots behind the editor's canvas, while their layer is moved and scaled. */
import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { DOTS_BEYOND, DOTS_SCALE, shiftDots } from "../../../../src/web/editor/core/dots.ts";
import { SeededRandom } from "../../../simulation/seeded-random.ts";

test("cover the canvas at every scale, with a dot on its origin", () => {
  const random = new SeededRandom(7);
  for (let n = 0; n < 2_000; n += 1) {
    const size = random.int(200, 3_000);
    const step = random.int(100, 400) / 10;
    const scale = random.int(DOTS_SCALE.min * 1_000, DOTS_SCALE.max * 1_000) / 1_000;
    const origin = random.int(-90_000, 90_000) / 7;
    const beyond = size * DOTS_BEYOND.share + DOTS_BEYOND.px;
    const from = shiftDots(origin, step, size, scale) - beyond;
    const to = from + (size + 2 * beyond) * scale;
    const seen = JSON.stringify({ size, step, scale, origin, from, to });
    expect([from <= 0, to >= size], seen).toEqual([true, true]);
    const off = (from + step / 2 - origin) / step;
    expect(Math.abs(off - Math.round(off)), seen).toBeLessThan(1e-6);
  }
});

test("have a layer as large as the style sheet makes it", async () => {
  const css = await readFile("src/web/editor/canvas.css", "utf8");
  expect(/\.grid > i \{[^}]*inset: calc\(-(\d+)% - (\d+)px\)/.exec(css)?.slice(1)).toEqual([
    String(DOTS_BEYOND.share * 100),
    String(DOTS_BEYOND.px),
  ]);
});

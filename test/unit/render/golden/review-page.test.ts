/** The page that shows changed renders (`scripts/review-renders.ts`) shows which pixels changed, and which facts. */
import { describe, expect, test } from "vitest";
import { readRaster } from "../../../../src/images/raster/raster.ts";
import { encodePng, openPng } from "../../../support/images/encode-png.ts";
import type { GoldenRender } from "../../../support/render/golden/golden-render.ts";
import {
  changedRender,
  removedRender,
  reviewPage,
} from "../../../support/render/golden/review-page.ts";

const [WIDTH, HEIGHT] = [5, 4];

/** A gray picture in which the pixels at these places are black. */
function picture(black: readonly (readonly [x: number, y: number])[], height = HEIGHT): Uint8Array {
  const rgba = new Uint8ClampedArray(WIDTH * height * 4).fill(200);
  for (let at = 3; at < rgba.length; at += 4) {
    rgba[at] = 255;
  }
  for (const [x, y] of black) {
    rgba.set([0, 0, 0], (y * WIDTH + x) * 4);
  }
  return encodePng(rgba, WIDTH, height);
}

const facts = (digest: string) => ({ pdf: digest, pages: [digest], report: {} }) as GoldenRender;

/** The places that the picture of differences has in red, and the color of the others. */
async function differences(section: string) {
  const pictures = [...section.matchAll(/base64,([^"]+)"/g)].map(([, data = ""]) => data);
  const { rgba, width, height } = await readRaster(
    openPng(Buffer.from(pictures.at(-1)!, "base64")),
  );
  const red: string[] = [];
  const others = new Set<string>();
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const color = rgba.subarray((y * width + x) * 4, (y * width + x) * 4 + 3).join(" ");
      if (color === "220 0 0") {
        red.push(`${x},${y}`);
      } else {
        others.add(color);
      }
    }
  }
  return { pictures: pictures.length, red, others: [...others] };
}

describe("a changed render", () => {
  test("has a picture of exactly the pixels that differ, beside those before and now", async () => {
    const section = await changedRender(
      "texts: A & <b>",
      { before: facts("a1"), now: facts("b2") },
      [
        {
          before: picture([[1, 1]]),
          now: picture([
            [3, 2],
            [1, 1],
            [4, 0],
          ]),
        },
      ],
    );
    expect(await differences(section)).toEqual({
      pictures: 3,
      red: ["4,0", "3,2"],
      // A quarter as dark as they are: gray, and the pixel that is black in both.
      others: ["241 241 241", "191 191 191"],
    });
    expect(section).toContain("pixels that differ: 2<");
    expect(section).toContain("<h2>texts: A &amp; &lt;b></h2>");
    expect(section.match(/[-+] .*(?:a1|b2)/g)).toHaveLength(4);
  });

  test("that is larger differs where it was not", async () => {
    const section = await changedRender("x", { before: facts("a"), now: facts("b") }, [
      { before: picture([], 3), now: picture([]) },
    ]);
    expect((await differences(section)).red).toEqual(["0,3", "1,3", "2,3", "3,3", "4,3"]);
  });

  test("that is new, or has fewer pages, shows what there is", async () => {
    const section = await changedRender("x", { before: undefined, now: facts("b") }, [
      { before: undefined, now: picture([]) },
      { before: picture([]), now: undefined },
    ]);
    expect(section.match(/<td>none<\/td>/g)).toHaveLength(4);
    expect(section).not.toContain("pixels that differ");
  });
});

test("the page counts what changed", () => {
  const page = reviewPage([removedRender("gone")], 412);
  expect(page).toContain("<h1>1 of 412 renders changed</h1>");
  expect(page).toContain("<h2>gone</h2><p>Removed.</p>");
});

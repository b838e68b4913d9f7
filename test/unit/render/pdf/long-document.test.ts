import { describe, expect, it } from "vitest";
import type { PreparedPicture } from "../../../../src/render/pdf/pictures/prepared-picture.ts";
import { writePdf } from "../../../../src/render/pdf/write-pdf.ts";
import type { DisplayItem, DisplayPage } from "../../../../src/templates/display-list.ts";
import { liveBytes } from "../../../support/datasets/live-bytes.ts";
import { makeShaper, openFont } from "../../../support/fonts/shaper.ts";
import { NO_RESOURCES, PLAIN_OPTIONS, pageOf } from "../../../support/pdf/plain-options.ts";
import { runOf } from "../../../support/pdf/run-of.ts";

const PAGES = 200;
const MB = 1024 * 1024;
/** Of issue 11: live memory beyond the idle renderer. */
const LIVE_MAX = 64 * MB;
const face = openFont(makeShaper(), "sans");

/** A JPEG's worth of bytes, another for each key; the writer does not read them. */
function pictureOf(key: string): PreparedPicture {
  const bytes = new Uint8Array(360_000).fill(Number(key));
  return {
    facts: { format: "jpeg", width: 400, height: 300, orientation: 1 },
    pixels: {
      width: 400,
      height: 300,
      color: { kind: "rgb" },
      bits: 8,
      encoding: "jpeg",
      isInverted: false,
      clearColor: null,
      data: [bytes],
    },
    alpha: null,
  };
}

/** A table of 10 rows with 5 cells, and a picture. */
function* pages(): Generator<DisplayPage> {
  for (let page = 0; page < PAGES; page++) {
    const items: DisplayItem[] = [
      { kind: "picture", picture: String(page), matrix: [200, 0, 0, 150, 30, 30] },
    ];
    for (let row = 0; row < 10; row++) {
      for (let cell = 0; cell < 5; cell++) {
        const text = `${page}.${row}.${cell} value`;
        items.push(runOf(face, text, [30 + cell * 100, 200 + row * 14], { size: 10 }));
      }
    }
    yield pageOf(items, { width: 595, height: 842, pageNumber: page + 1 });
  }
}

describe("a document of 200 pages, each with a picture and a table", () => {
  it("is written with less than 64 MB of live memory", async () => {
    const resources = { ...NO_RESOURCES, face: () => face, picture: pictureOf };
    const before = liveBytes();
    let peak = 0;
    let bytes = 0;
    let pieces = 0;
    for await (const piece of writePdf(pages(), resources, PLAIN_OPTIONS)) {
      bytes += piece.length;
      if (++pieces % 100 === 0) {
        peak = Math.max(peak, liveBytes() - before);
      }
    }
    expect(bytes).toBeGreaterThan(PAGES * 300_000);
    expect(pieces).toBeGreaterThan(1_000);
    expect(peak).toBeLessThan(LIVE_MAX);
    expect(peak).toBeGreaterThan(0);
  });
});

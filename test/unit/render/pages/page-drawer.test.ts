import { beforeAll, describe, expect, it } from "vitest";
import { openPng } from "../../../support/images/encode-png.ts";
import { readRaster } from "../../../../src/images/raster/raster.ts";
import { PageDrawer, imageSize } from "../../../../src/render/pages/page-drawer.ts";
import { writePdf } from "../../../../src/render/pdf/write-pdf.ts";
import { compiledPackageFile } from "../../../support/compiled-package-file.ts";
import type { DisplayItem } from "../../../../src/templates/display-list.ts";
import {
  NO_RESOURCES,
  PLAIN_OPTIONS,
  joined,
  pageOf,
  rectangle,
} from "../../../support/pdf/plain-options.ts";
import { imageCodecs } from "../../../support/images/wasm-modules.ts";

const drawer = new PageDrawer(
  compiledPackageFile("@hyzyla/pdfium/dist/pdfium.wasm"),
  imageCodecs.pixels,
);

function box(x: number, y: number, width: number, height: number): DisplayItem {
  return {
    kind: "path",
    path: rectangle(x, y, width, height),
    fillRule: "non_zero",
    fill: { paint: { kind: "color", rgb: [255, 0, 0] }, opacity: 1 },
    stroke: null,
    isStrokeFirst: false,
  };
}

let pdf: Uint8Array;
beforeAll(async () => {
  const pages = [pageOf([box(0, 0, 100, 50), box(150, 75, 50, 25)])];
  pdf = await joined(writePdf(pages, NO_RESOURCES, PLAIN_OPTIONS));
});

function draw(maxDimension: number): Promise<Uint8Array> {
  return drawer.use([pdf.subarray(0, 100), pdf.subarray(100)], (pages) =>
    Buffer.concat([...pages.draw(0, maxDimension).pieces()].map((piece) => piece.slice())),
  );
}

async function pixels(png: Uint8Array) {
  const { rgba, width, height } = await readRaster(openPng(png));
  return {
    width,
    height,
    at: (x: number, y: number) => [...rgba.subarray((y * width + x) * 4, (y * width + x) * 4 + 4)],
  };
}

describe("PageDrawer", () => {
  it("draws a page as it was laid out, on white, y down", async () => {
    const image = await pixels(await draw(400));
    expect([image.width, image.height]).toEqual([400, 200]);
    expect(image.at(2, 2)).toEqual([255, 0, 0, 255]);
    expect(image.at(398, 2)).toEqual([255, 255, 255, 255]);
    expect(image.at(398, 198)).toEqual([255, 0, 0, 255]);
    expect(image.at(2, 198)).toEqual([255, 255, 255, 255]);
  });

  it("draws bands that meet", async () => {
    const image = await pixels(await draw(4_096));
    expect([image.width, image.height]).toEqual([4_096, 2_048]);
    // The bands are 512 rows high; the first box ends with the second, the other begins with the fourth.
    expect(image.at(10, 1_023)).toEqual([255, 0, 0, 255]);
    expect(image.at(10, 1_024)).toEqual([255, 255, 255, 255]);
    expect(image.at(4_000, 1_535)).toEqual([255, 255, 255, 255]);
    expect(image.at(4_000, 1_536)).toEqual([255, 0, 0, 255]);
  });

  it("draws an image of more than 2,048 px in bands, which take less memory than a whole one of 2,048", async () => {
    const memoryFor = async (side: number) => {
      drawer.drop();
      await draw(side);
      return drawer.memoryBytes;
    };
    const whole = await memoryFor(2_048);
    expect(await memoryFor(2_049)).toBeLessThanOrEqual(whole);
    expect(await memoryFor(2_400)).toBeLessThanOrEqual(whole);
  });

  it("gives equal bytes again, and keeps no more memory than before", async () => {
    const first = await draw(300);
    const bytes = drawer.memoryBytes;
    for (let i = 0; i < 5; i++) {
      expect(await draw(300)).toEqual(first);
    }
    expect(drawer.memoryBytes).toBe(bytes);
  });

  it("drops the instance after a file that PDFium refuses, and draws the next", async () => {
    await expect(drawer.use([new Uint8Array(50)], () => 0)).rejects.toThrow("cannot read the PDF");
    expect(drawer.memoryBytes).toBe(0);
    expect((await draw(100)).length).toBeGreaterThan(0);
  });

  it.each([
    [595.28, 841.89, 1_600, 1_131, 1_600],
    [841.89, 595.28, 1_600, 1_600, 1_131],
    [14_400, 10, 64, 64, 1],
    [100, 100, 4_096, 4_096, 4_096],
  ])("makes the longest side of %f × %f pt exactly %i px", (width, height, max, w, h) => {
    expect(imageSize(width, height, max)).toEqual({ width: w, height: h });
  });
});

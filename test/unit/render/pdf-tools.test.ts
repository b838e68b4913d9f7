/**
 * Other readers of PDFs agree with the renderer: poppler, qpdf and mupdf, each where it is installed
 * (`test/allowed-skips.json`). `scripts/judge-renders.ts` has them read all golden renders too.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openPng } from "../../support/images/encode-png.ts";
import { type Raster, readRaster } from "../../../src/images/raster/raster.ts";
import {
  clearDifferences,
  DIFFERENT_SHARE_MAX,
  differentShare,
} from "../../support/pdf/judges/compare-rasters.ts";
import { differentMeans, meanPixels } from "../../support/pdf/judges/mean-pixels.ts";
import {
  HAS_MUPDF,
  HAS_POPPLER,
  HAS_QPDF,
  mupdfPage,
  mupdfText,
  popplerPage,
  popplerProblems,
  popplerText,
  run,
  withoutSpaces,
} from "../../support/pdf/judges/pdf-tools.ts";
import { madeInNode } from "../../support/render/node-renderer.ts";
import { readSample, SAMPLE_NAMES } from "../../support/render/read-sample.ts";

const DOTS_PER_POINT = 150 / 72;

interface Printed {
  readonly name: string;
  readonly path: string;
  readonly pageCount: number;
  /** Texts of its values that print as they are. */
  readonly texts: readonly string[];
  /** The first page at 150 dpi, by PDFium. */
  readonly page: Raster;
}

let folder = "";
const printed: Printed[] = [];

beforeAll(async () => {
  if (!(HAS_POPPLER || HAS_QPDF || HAS_MUPDF)) {
    return;
  }
  folder = mkdtempSync(join(tmpdir(), "pdf-tools-"));
  for (const name of SAMPLE_NAMES) {
    const { document, sets } = readSample(name);
    const values = sets[0]?.values ?? {};
    const first = await madeInNode(document, values);
    const { width = 0, height = 0 } = first.pages[0] ?? {};
    const { pdf, pages, pageCount } = await madeInNode(document, values, {
      images: "first",
      options: { max_page_dimension: Math.round(Math.max(width, height) * DOTS_PER_POINT) },
    });
    const path = join(folder, `${name}.pdf`);
    writeFileSync(path, pdf);
    const texts = Object.values(values).filter(
      (value) => typeof value === "string" && !/^(?:data:|\d{4}-\d\d-\d\d)/.test(value),
    ) as string[];
    const png = pages[0]?.image?.kept ?? new Uint8Array();
    printed.push({ name, path, pageCount, texts, page: await readRaster(openPng(png)) });
  }
});

afterAll(() => {
  if (folder !== "") {
    rmSync(folder, { recursive: true });
  }
});

describe("PDFs of the samples", () => {
  test.skipIf(!HAS_POPPLER)("have the pages, fonts and texts that poppler finds", () => {
    for (const { name, path, pageCount, texts } of printed) {
      expect(popplerProblems(path, pageCount), name).toEqual([]);
      expectTexts(popplerText(path), texts, name);
    }
  });

  test.skipIf(!HAS_POPPLER)("look to poppler as they do to PDFium", () => {
    for (const { name, path, page } of printed) {
      const drawn = popplerPage(path, 1, page, folder);
      expect(differentShare(page, drawn), name).toBeLessThan(DIFFERENT_SHARE_MAX);
    }
  });

  test.skipIf(!HAS_QPDF)("are sound to qpdf", () => {
    for (const { path } of printed) {
      run("qpdf", "--check", path);
    }
  });

  test.skipIf(!HAS_MUPDF)("have the texts and the looks that mupdf finds", async () => {
    for (const { name, path, texts, page } of printed) {
      expectTexts(mupdfText(path), texts, name);
      const drawn = await mupdfPage(path, 1, page, folder);
      expect(differentShare(page, drawn), name).toBeLessThan(DIFFERENT_SHARE_MAX);
    }
  });
});

describe("drawings of one page", () => {
  test("differ where more than an edge by a pixel is elsewhere", () => {
    const square = drawing(4);
    expect(clearDifferences(square, drawing(4))).toEqual({ all: 0, beyondEdges: 0 });
    expect(clearDifferences(square, drawing(5))).toEqual({ all: 20, beyondEdges: 0 });
    expect(clearDifferences(square, drawing(7))).toEqual({ all: 60, beyondEdges: 56 });
    expect(clearDifferences(square, drawing(99))).toEqual({ all: 100, beyondEdges: 100 });
    expect(() => clearDifferences(square, { ...drawing(4), width: 19 })).toThrow("measure");
  });

  test("with 16 samples a pixel differ where a quarter of a pixel is covered otherwise", () => {
    const square = meanPixels(drawing(4), 4);
    expect(square).toMatchObject({ width: 5, height: 5 });
    // Rows 1 to 3 have 3, 4 and 3 of their 4 rows black, columns likewise.
    expect(grays(square).slice(5, 10)).toEqual([255, 64, 64, 159, 255]);
    // By a quarter of a pixel, which the two pixels at the ends of the full row show, and the others by three sixteenths.
    expect(differentMeans(square, meanPixels(drawing(5), 4))).toBe(2 / 25);
    expect(differentMeans(square, meanPixels(drawing(6), 4))).toBe(6 / 25);
    expect(() => differentMeans(square, drawing(4))).toThrow("measure");
  });
});

/** The red of each pixel. */
function grays({ rgba }: Raster): number[] {
  return Array.from(rgba).filter((_, at) => at % 4 === 0);
}

/** A white page of 20 × 20 with a black square of 10 × 10 in the middle of its height, so far from the left. */
function drawing(left: number): Raster {
  const rgba = new Uint8ClampedArray(20 * 20 * 4).fill(255);
  for (let y = 5; y < 15; y += 1) {
    for (let x = left; x < Math.min(20, left + 10); x += 1) {
      rgba.set([0, 0, 0, 255], (y * 20 + x) * 4);
    }
  }
  return { width: 20, height: 20, rgba };
}

function expectTexts(found: string, texts: readonly string[], name: string): void {
  const all = withoutSpaces(found);
  expect(
    texts.filter((text) => !all.includes(withoutSpaces(text))),
    name,
  ).toEqual([]);
}

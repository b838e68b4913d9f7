/**
 * Other readers of PDFs agree with the renderer: poppler, qpdf and mupdf, each where it is installed
 * (`test/allowed-skips.json`).
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openPng } from "../../../src/images/png/read/open-png.ts";
import { type Raster, readRaster } from "../../../src/images/raster/raster.ts";
import { madeInNode } from "../../support/render/node-renderer.ts";
import { readSample, SAMPLE_NAMES } from "../../support/render/read-sample.ts";

const DOTS_PER_POINT = 150 / 72;
/** Of the pixels of a page; the tools smooth edges differently, so small differences do not count. */
const DIFFERENT_SHARE_MAX = 0.005;
const DIFFERENCE_MIN = 128;

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

const hasPoppler = ["pdfinfo", "pdffonts", "pdftotext", "pdftoppm"].every(isInstalled);
const hasQpdf = isInstalled("qpdf");
const hasMupdf = isInstalled("mutool");
const hasAny = hasPoppler || hasQpdf || hasMupdf;

beforeAll(async () => {
  if (!hasAny) {
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
  test.skipIf(!hasPoppler)("have the pages, fonts and texts that poppler finds", () => {
    for (const { name, path, pageCount, texts } of printed) {
      expect(run("pdfinfo", path), name).toMatch(new RegExp(`^Pages: +${pageCount}$`, "m"));
      const fonts = run("pdffonts", path).trim().split("\n").slice(2);
      for (const font of fonts) {
        // The columns after the encoding: embedded, subset, with a map to Unicode.
        expect(font, name).toMatch(/^[A-Z]{6}\+.* yes +yes +yes +\d+ +0$/);
      }
      expectTexts(run("pdftotext", "-enc", "UTF-8", path, "-"), texts, name);
    }
  });

  test.skipIf(!hasPoppler)("look to poppler as they do to PDFium", () => {
    for (const { name, path, page } of printed) {
      run("pdftoppm", "-r", "150", "-f", "1", "-l", "1", "-singlefile", path, join(folder, "page"));
      expect(
        differentShare(page, readPpm(readFileSync(join(folder, "page.ppm")))),
        name,
      ).toBeLessThan(DIFFERENT_SHARE_MAX);
    }
  });

  test.skipIf(!hasQpdf)("are sound to qpdf", () => {
    for (const { path } of printed) {
      run("qpdf", "--check", path);
    }
  });

  test.skipIf(!hasMupdf)("have the texts and the looks that mupdf finds", async () => {
    for (const { name, path, texts, page } of printed) {
      expectTexts(run("mutool", "draw", "-q", "-F", "txt", path), texts, name);
      const image = join(folder, "page.png");
      run("mutool", "draw", "-q", "-r", "150", "-o", image, path, "1");
      const drawn = await readRaster(openPng(new Uint8Array(readFileSync(image))));
      expect(differentShare(page, drawn), name).toBeLessThan(DIFFERENT_SHARE_MAX);
    }
  });
});

function isInstalled(program: string): boolean {
  return spawnSync(program, ["-v"]).error === undefined;
}

/** The program's output. Throws if it fails. */
function run(program: string, ...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: "utf8" });
  if (status !== 0) {
    throw new Error(`${program} ${args.join(" ")} ended with ${status}: ${stdout}${stderr}`);
  }
  return stdout;
}

function expectTexts(found: string, texts: readonly string[], name: string): void {
  // Readers mark the direction of right-to-left texts with controls.
  const plain = (text: string) => text.replaceAll(/[\s\p{Cf}]/gu, "");
  const all = plain(found);
  expect(
    texts.filter((text) => !all.includes(plain(text))),
    name,
  ).toEqual([]);
}

/** The share of pixels that differ clearly in a page drawn twice; a row or column may be missing at the edge. */
function differentShare(a: Raster, b: Raster): number {
  const [width, height] = [Math.min(a.width, b.width), Math.min(a.height, b.height)];
  expect(Math.abs(a.width - b.width) + Math.abs(a.height - b.height)).toBeLessThanOrEqual(2);
  let different = 0;
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const [p, q] = [(y * a.width + x) * 4, (y * b.width + x) * 4];
      const isDifferent = [0, 1, 2].some(
        (part) => Math.abs((a.rgba[p + part] ?? 0) - (b.rgba[q + part] ?? 0)) >= DIFFERENCE_MIN,
      );
      different += isDifferent ? 1 : 0;
    }
  }
  return different / (width * height);
}

/** A binary PPM of 8 bits as `pdftoppm` writes it. */
function readPpm(bytes: Uint8Array): Raster {
  const head = /^P6\s+(\d+)\s+(\d+)\s+255\s/.exec(
    new TextDecoder("latin1").decode(bytes.subarray(0, 64)),
  );
  if (head === null) {
    throw new Error("It is not a PPM.");
  }
  const [width, height] = [Number(head[1]), Number(head[2])];
  const rgba = new Uint8ClampedArray(width * height * 4).fill(255);
  for (let i = 0; i < width * height; i += 1) {
    rgba.set(bytes.subarray(head[0].length + i * 3, head[0].length + i * 3 + 3), i * 4);
  }
  return { width, height, rgba };
}

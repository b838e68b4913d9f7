/**
 * Pages of the samples at 150 dpi, with 16 samples a pixel, as PDFium, poppler and mupdf draw them. `pdf-tools.test.ts` compares
 * them as they are drawn at 150 dpi, and `scripts/judge-renders.ts` has all golden renders in both ways.
 */
import "../../../support/only-in-proof.ts";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { readRaster } from "../../../../src/images/raster/raster.ts";
import { PageDrawer } from "../../../../src/render/pages/page-drawer.ts";
import { compiledPackageFile } from "../../../support/compiled-package-file.ts";
import { openPng } from "../../../support/images/encode-png.ts";
import { imageCodecs } from "../../../support/images/wasm-modules.ts";
import { DIFFERENT_SHARE_MAX } from "../../../support/pdf/judges/compare-rasters.ts";
import { HAS_MUPDF, HAS_POPPLER } from "../../../support/pdf/judges/pdf-tools.ts";
import { sampledShares, samplesOf } from "../../../support/pdf/judges/sampled-page.ts";
import { madeInNode } from "../../../support/render/node-renderer.ts";
import { readSample, SAMPLE_NAMES } from "../../../support/render/read-sample.ts";

const DOTS_PER_POINT = 150 / 72;

const drawer = new PageDrawer(
  compiledPackageFile("@hyzyla/pdfium/dist/pdfium.wasm"),
  imageCodecs.pixels,
);
const folder = mkdtempSync(join(tmpdir(), "sampled-pages-"));
afterAll(() => rmSync(folder, { recursive: true }));

test.skipIf(!(HAS_POPPLER || HAS_MUPDF))(
  "less than 0.5 % of the pixels of a sample's page differ by a quarter of a channel in other readers",
  { timeout: 600_000 },
  async () => {
    for (const name of SAMPLE_NAMES) {
      const { document, sets } = readSample(name);
      const values = sets[0]?.values ?? {};
      const { pdf, pages } = await madeInNode(document, values);
      const { width = 0, height = 0 } = pages[0] ?? {};
      const side = Math.round(Math.max(width, height) * DOTS_PER_POINT);
      const samples = samplesOf(side);
      const path = join(folder, `${name}.pdf`);
      writeFileSync(path, pdf);
      const png = await drawer.use([pdf], (drawn) =>
        Buffer.concat([...drawn.draw(0, side * samples).pieces()]),
      );
      const drawing = await readRaster(openPng(new Uint8Array(png)));
      const shares = await sampledShares({ path, page: 1, folder }, drawing, samples);
      for (const [reader, share] of Object.entries(shares)) {
        expect(share, `${name}, ${reader}`).toBeLessThan(DIFFERENT_SHARE_MAX);
      }
    }
  },
);

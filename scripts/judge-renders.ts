/**
 * Has poppler, qpdf and mupdf judge PDFs of the renderer, each program where it is installed: every golden render, every sample
 * with each of its sample sets, and each of these as a PDF/X-4; samples and pictures also as PDF/X-4 for an RGB and a gray
 * press. Checked are the syntax, pages and fonts, the texts (those of pdf.js, which `accounting.test.ts` compares with the
 * values), and the pictures at 150 dpi (those of PDFium), with 16 samples a pixel and as each reader draws them. Prints what
 * disagrees and writes the three drawings of such pages to `dist/renders/judged/`:
 *
 * node scripts/judge-renders.ts [part of a name]
 */
import { mkdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { mkdtempSync } from "node:fs";
import { encodePng } from "../test/support/images/encode-png.ts";
import { openPng } from "../test/support/images/encode-png.ts";
import { type Raster, readRaster } from "../src/images/raster/raster.ts";
import type { JsonValue } from "../src/lib/json/exact-json.ts";
import { PageDrawer } from "../src/render/pages/page-drawer.ts";
import { compiledPackageFile } from "../test/support/compiled-package-file.ts";
import {
  clearDifferences,
  DIFFERENT_SHARE_MAX,
  inGray,
} from "../test/support/pdf/judges/compare-rasters.ts";
import {
  HAS_MUPDF,
  HAS_POPPLER,
  HAS_QPDF,
  mupdfPage,
  mupdfText,
  type PixelSize,
  popplerPage,
  popplerProblems,
  popplerText,
  run,
  withoutSpaces,
} from "../test/support/pdf/judges/pdf-tools.ts";
import {
  sampledShares,
  type SampledShares,
  samplesOf,
} from "../test/support/pdf/judges/sampled-page.ts";
import { readPdfTexts } from "../test/support/pdf/read-pdf-texts.ts";
import { checkX4 } from "../test/support/pdf/x4/check-x4.ts";
import { GOLDEN_CASES } from "../test/support/render/golden/golden-cases.ts";
import { renderInNode, pressOptions } from "../test/support/render/node-renderer.ts";
import { readSample, SAMPLE_NAMES } from "../test/support/render/read-sample.ts";
import type { RequestChange } from "../test/support/render/template-request.ts";
import { imageCodecs } from "../test/support/images/wasm-modules.ts";

const DOTS_PER_POINT = 150 / 72;
const [SIDE_MIN, SIDE_MAX] = [64, 4_096];

/** What readers do differently from pdf.js, and may. */
const KNOWN: Readonly<Record<string, string>> = {
  'texts: printed beyond its box: mupdf reads other characters: not "", but "bd"':
    "pdf.js leaves out a line below the page, of which mupdf finds the two letters that reach the page",
  'texts: a character U+0000: mupdf reads other characters: not "", but "\ufffd"':
    "mupdf gives U+FFFD for U+0000",
};

/** Drawings of which more than the bound differs at edges from both readers, and why. */
const KNOWN_EDGES: Readonly<Record<string, string>> = {
  "shapes: filled with black by default": "PDFium fills rectangles to whole pixels",
  "shapes: gradient of one point": "PDFium fills rectangles to whole pixels",
  "images: turned and flipped": "PDFium draws turned pictures without smooth borders",
};

/** Drawings that are compared as the readers draw them only: PDFium moves points that are more than 32,000 pixels away. */
const KNOWN_FAR: ReadonlySet<string> = new Set(["shapes: line at its limits"]);

interface Judged {
  /** Without what it is made as. */
  readonly template: string;
  readonly name: string;
  readonly document: JsonValue;
  readonly values: JsonValue;
  readonly change: RequestChange;
}

const [only = ""] = process.argv.slice(2);
const target = fileURLToPath(new URL("../dist/renders/judged/", import.meta.url).href);
const folder = mkdtempSync(join(tmpdir(), "judged-"));
const drawer = new PageDrawer(
  compiledPackageFile("@hyzyla/pdfium/dist/pdfium.wasm"),
  imageCodecs.pixels,
);
const press = await pressOptions();
/** Whose colors are converted otherwise: samples and pictures are made for them too. */
const OTHER_PRESSES = [
  ["X-4 RGB", await pressOptions("RGB ")],
  ["X-4 gray", await pressOptions("GRAY")],
] as const;
const counts = { files: 0, pages: 0, characters: 0, problems: 0 };
/** Of the pixels as the readers draw them, those of which a channel differs by half of its range. */
interface Shares {
  readonly all: number;
  readonly beyondEdges: number;
}
const pageImages = {
  poppler: [] as Shares[],
  mupdf: [] as Shares[],
  "poppler from mupdf": [] as Shares[],
};
/** The same pages with 16 samples a pixel. */
const sampledImages: Record<keyof SampledShares, number[]> = {
  poppler: [],
  mupdf: [],
  "poppler from mupdf": [],
};
/** Pages that differ in more than the bound from both judges, and of these the ones where the judges differ less from each other. */
const beyondBoth = { pages: 0, farther: 0 };

await rm(target, { recursive: true, force: true });
await mkdir(target, { recursive: true });
for (const [name, version] of Object.entries(versions())) {
  console.log(`${name}: ${version}`);
}
for (const judged of allJudged().filter(({ name }) => name.includes(only))) {
  await judge(judged);
}
await rm(folder, { recursive: true });
console.log(
  `${counts.files} files, ${counts.pages} pages, ${counts.characters} characters: ${counts.problems} disagreements`,
);
for (const [name, shares] of Object.entries(pageImages)) {
  const over = shares.filter(({ all }) => all >= DIFFERENT_SHARE_MAX).length;
  const worst = Math.max(0, ...shares.map(({ beyondEdges }) => beyondEdges));
  const worstOfAll = Math.max(0, ...shares.map(({ all }) => all));
  console.log(
    `${name}: ${shares.length} pages; of the worst ${percent(worst)} of the pixels differ beyond edges, ${percent(worstOfAll)} in all; ${over} pages differ in more than ${percent(DIFFERENT_SHARE_MAX)} in all`,
  );
}
for (const [name, shares] of Object.entries(sampledImages)) {
  const over = shares.filter((share) => share >= DIFFERENT_SHARE_MAX).length;
  console.log(
    `${name}, 16 samples a pixel: ${shares.length} pages; of the worst ${percent(Math.max(0, ...shares))} of the pixels differ; ${over} pages differ in ${percent(DIFFERENT_SHARE_MAX)} or more`,
  );
}
console.log(
  `${beyondBoth.pages} pages differ in more than ${percent(DIFFERENT_SHARE_MAX)} in all from both; on ${beyondBoth.farther} of them poppler and mupdf differ less from each other`,
);
process.exitCode = counts.problems === 0 ? 0 : 1;

function versions(): Record<string, string> {
  const first = (text: string): string => text.trim().split("\n")[0] ?? "";
  return {
    poppler: HAS_POPPLER ? first(run("sh", "-c", "pdftotext -v 2>&1")) : "is not installed",
    qpdf: HAS_QPDF ? first(run("qpdf", "--version")) : "is not installed",
    mupdf: HAS_MUPDF ? first(run("sh", "-c", "mutool -v 2>&1 || true")) : "is not installed",
  };
}

function allJudged(): Judged[] {
  const golden = Object.entries(GOLDEN_CASES).flatMap(([area, cases]) =>
    Object.entries(cases).map(([name, { document, values, options }]) => ({
      template: `${area}: ${name}`,
      document,
      values,
      change: { options },
    })),
  );
  const samples = SAMPLE_NAMES.flatMap((name) => {
    const { document, sets } = readSample(name);
    return sets.map((set) => ({
      template: `sample ${name}: ${set.name}`,
      document,
      values: set.values,
      change: { options: {} },
    }));
  });
  return [...golden, ...samples].flatMap((one) => [
    { ...one, name: one.template },
    {
      ...one,
      name: `${one.template} (X-4)`,
      change: { options: { ...one.change.options, ...press } },
    },
    ...(/^(?:sample|images)/.test(one.template) ? OTHER_PRESSES : []).map(([kind, options]) => ({
      ...one,
      name: `${one.template} (${kind})`,
      change: { options: { ...one.change.options, ...options } },
    })),
  ]);
}

async function judge(judged: Judged): Promise<void> {
  const { template, name, document, values, change } = judged;
  const made = await renderInNode(document, values, change);
  if (!made.ok) {
    // Golden renders of limits fail.
    return;
  }
  const pdf = made.pdf ?? new Uint8Array();
  const path = join(folder, "judged.pdf");
  await writeFile(path, pdf);
  counts.files += 1;
  const problems: string[] = [];
  const attempt = async (work: () => Promise<void> | void): Promise<void> => {
    try {
      await work();
    } catch (error) {
      problems.push(String(error));
    }
  };
  if (name.includes("(X-4")) {
    await attempt(async () => {
      const broken = await checkX4(pdf);
      problems.push(...broken.map(({ rule, message }) => `X-4 rule ${rule}: ${message}`));
    });
  }
  if (HAS_QPDF) {
    await attempt(() => void run("qpdf", "--check", path));
  }
  if (HAS_POPPLER) {
    await attempt(() => void problems.push(...popplerProblems(path, made.pages.length)));
  }
  const text = sorted((await readPdfTexts(pdf)).join("\n"));
  counts.characters += Array.from(text).length;
  for (const [reader, has, read] of [
    ["poppler", HAS_POPPLER, popplerText],
    ["mupdf", HAS_MUPDF, mupdfText],
  ] as const) {
    await attempt(() => {
      const found = has ? sorted(read(path)) : text;
      if (found !== text) {
        problems.push(`${reader} reads other characters: ${difference(text, found)}`);
      }
    });
  }
  for (const [index, { raster, png }] of (await drawn(pdf, made.pages)).entries()) {
    counts.pages += 1;
    const others: Raster[] = [];
    const shares: Shares[] = [];
    for (const [reader, has, draw] of [
      ["poppler", HAS_POPPLER, popplerPage],
      ["mupdf", HAS_MUPDF, mupdfPage],
    ] as const) {
      await attempt(async () => {
        if (!has) {
          return;
        }
        const other = await draw(path, index + 1, raster, folder);
        others.push(other);
        const found = sharesOf(name, raster, other);
        shares.push(found);
        pageImages[reader].push(found);
        if (found.beyondEdges >= DIFFERENT_SHARE_MAX) {
          problems.push(
            `${reader} draws page ${index + 1} with ${percent(found.all)} other pixels, ${percent(found.beyondEdges)} beyond edges`,
          );
          await keepDrawings(`${name}-${index + 1}`, { pdfium: png, [reader]: pngOf(other) });
        }
      });
    }
    const [first, second] = others;
    if (first !== undefined && second !== undefined) {
      // How much two readers differ that are not ours: the least that can be asked of a third.
      const between = sharesOf(name, first, second);
      pageImages["poppler from mupdf"].push(between);
      const nearest = Math.min(...shares.map(({ all }) => all));
      if (nearest >= DIFFERENT_SHARE_MAX) {
        beyondBoth.pages += 1;
        beyondBoth.farther += between.all < nearest ? 1 : 0;
        if (between.all < nearest && KNOWN_EDGES[template] === undefined) {
          problems.push(
            `page ${index + 1} has ${percent(nearest)} other pixels than the nearest reader, and the readers differ in ${percent(between.all)} from each other`,
          );
          const drawings = { pdfium: png, poppler: pngOf(first), mupdf: pngOf(second) };
          await keepDrawings(`${name}-${index + 1}`, drawings);
        }
      }
    }
  }
  await attempt(async () => {
    problems.push(...(await sampledProblems(judged, pdf, path, made.pages)));
  });
  for (const problem of problems.filter((one) => KNOWN[`${template}: ${one}`] === undefined)) {
    counts.problems += 1;
    console.log(`${name}: ${problem}`);
  }
}

/** The pages that other readers draw otherwise, all with 16 samples a pixel. */
async function sampledProblems(
  { template, name }: Judged,
  pdf: Uint8Array,
  path: string,
  sizes: readonly PixelSize[],
): Promise<string[]> {
  const problems: string[] = [];
  // A golden render for a press shows what the same one shows as a standard file.
  const isLeftOut = KNOWN_FAR.has(template) || (name !== template && !name.startsWith("sample"));
  const press = name.endsWith("(X-4 gray)") ? "gray" : name.includes("(X-4") ? "color" : "none";
  for (const index of isLeftOut ? [] : sizes.keys()) {
    const samples = samplesOf(sideOf(sizes[index]));
    const [drawing] = await drawn(pdf, sizes, samples, index);
    if (drawing === undefined) {
      throw new Error(`PDFium draws no page ${index + 1}.`);
    }
    const page = { path, page: index + 1, folder };
    const shares = await sampledShares(page, drawing.raster, samples, press);
    for (const [reader, share] of Object.entries(shares) as [keyof SampledShares, number][]) {
      sampledImages[reader].push(share);
      if (share >= DIFFERENT_SHARE_MAX && reader !== "poppler from mupdf") {
        problems.push(`${reader} draws page ${index + 1} with ${percent(share)} other means`);
        await keepDrawings(`${name}-${index + 1}-samples`, { pdfium: drawing.png });
      }
    }
  }
  return problems;
}

/** The shares of a page's pixels that differ clearly in two drawings; in gray for a gray press. */
function sharesOf(name: string, a: Raster, b: Raster): Shares {
  const isGray = name.endsWith("(X-4 gray)");
  const { all, beyondEdges } = isGray
    ? clearDifferences(inGray(a), inGray(b))
    : clearDifferences(a, b);
  const pixels = a.width * a.height;
  return { all: all / pixels, beyondEdges: beyondEdges / pixels };
}

function pngOf({ rgba, width, height }: Raster): Uint8Array {
  return encodePng(rgba, width, height);
}

async function keepDrawings(
  name: string,
  drawings: Readonly<Record<string, Uint8Array>>,
): Promise<void> {
  for (const [reader, png] of Object.entries(drawings)) {
    const file = `${name.replaceAll(/[^A-Za-z0-9]+/g, "-")}-${reader}.png`;
    await writeFile(join(target, file), png);
  }
}

/** The pages as PDFium draws them at 150 dpi, so many times as wide and high; one of them if an index is given. */
async function drawn(
  pdf: Uint8Array,
  sizes: readonly PixelSize[],
  times = 1,
  only?: number,
): Promise<readonly { raster: Raster; png: Uint8Array }[]> {
  const indexes = only === undefined ? [...sizes.keys()] : [only];
  const pngs = await drawer.use([pdf], (pages) =>
    indexes.map((index) =>
      Buffer.concat([...pages.draw(index, sideOf(sizes[index]) * times).pieces()]),
    ),
  );
  return Promise.all(
    pngs.map(async (png) => ({ raster: await readRaster(openPng(new Uint8Array(png))), png })),
  );
}

/** Pixels of the longest side of a page at 150 dpi. */
function sideOf({ width, height }: PixelSize = { width: 0, height: 0 }): number {
  const pixels = Math.round(Math.max(width, height) * DOTS_PER_POINT);
  return Math.min(SIDE_MAX, Math.max(SIDE_MIN, pixels));
}

function percent(share: number): string {
  return `${(share * 100).toFixed(2)} %`;
}

function sorted(text: string): string {
  return Array.from(withoutSpaces(text)).toSorted().join("");
}

/** Characters of one text that the other does not have, and the reverse. */
function difference(expected: string, found: string): string {
  const left = Array.from(found);
  const missing = Array.from(expected).filter((character) => {
    const at = left.indexOf(character);
    if (at >= 0) {
      left.splice(at, 1);
    }
    return at < 0;
  });
  return `not "${missing.join("")}", but "${left.join("")}"`;
}

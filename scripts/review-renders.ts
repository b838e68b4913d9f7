/**
 * Renders the golden cases (`test/support/render/golden/`) and compares them with `test/golden/templates/`. Writes a page
 * with each change, its pixels that differ in red, to `dist/renders/index.html`. With `--accept` the changes become the
 * expected renders. Run it after a change of the layout, of texts or of the PDF: `node scripts/review-renders.ts`.
 */
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { encodePng } from "../test/support/images/encode-png.ts";
import { openPng } from "../test/support/images/encode-png.ts";
import { readRaster } from "../src/images/raster/raster.ts";
import { GOLDEN_CASES } from "../test/support/render/golden/golden-cases.ts";
import {
  type GoldenRender,
  goldenOf,
  goldenRequest,
  imageName,
} from "../test/support/render/golden/golden-render.ts";
import { renderInNode } from "../test/support/render/node-renderer.ts";

const ROOT = fileURLToPath(new URL("../", import.meta.url).href);
const GOLDEN = `${ROOT}test/golden/templates/`;
const REVIEW = `${ROOT}dist/renders/`;

const isAccepting = process.argv.includes("--accept");
const sections: string[] = [];
let cases = 0;

if (isAccepting) {
  await rm(GOLDEN, { recursive: true, force: true });
}
for (const [area, all] of Object.entries(GOLDEN_CASES)) {
  const expected = await readJson(`${GOLDEN}${area}.json`);
  const found: Record<string, GoldenRender> = {};
  for (const [name, golden] of Object.entries(all)) {
    cases += 1;
    const made = await renderInNode(golden.document, golden.values, goldenRequest(golden));
    const now = goldenOf(made);
    found[name] = now;
    const images = made.ok ? made.pages.map(({ image }) => image?.kept ?? new Uint8Array()) : [];
    if (isAccepting) {
      for (const [index, png] of images.entries()) {
        await write(`${GOLDEN}${imageName(area, name, index + 1)}`, png);
      }
    } else if (JSON.stringify(now) !== JSON.stringify(expected[name])) {
      sections.push(await describeChange(area, name, expected[name], now, images));
    }
  }
  if (isAccepting) {
    await write(`${GOLDEN}${area}.json`, `${JSON.stringify(found, null, 2)}\n`);
  } else {
    for (const name of Object.keys(expected).filter((one) => !Object.hasOwn(all, one))) {
      sections.push(`<section><h2>${escapeHtml(`${area}: ${name}`)}</h2><p>Removed.</p></section>`);
    }
  }
}

if (isAccepting) {
  console.log(`${cases} renders are accepted. Review them with git diff.`);
} else {
  await write(`${REVIEW}index.html`, reviewPage());
  console.log(`${sections.length} of ${cases} renders changed: ${REVIEW}index.html`);
  process.exitCode = sections.length === 0 ? 0 : 1;
}

async function describeChange(
  area: string,
  name: string,
  before: GoldenRender | undefined,
  now: GoldenRender,
  images: readonly Uint8Array[],
): Promise<string> {
  const count = Math.max(
    images.length,
    before !== undefined && "pages" in before ? before.pages.length : 0,
  );
  const rows: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const path = imageName(area, name, index + 1);
    const old = await readFile(`${GOLDEN}${path}`).catch(() => undefined);
    const current = images[index];
    const difference =
      old === undefined || current === undefined ? undefined : await differenceOf(old, current);
    const pictures = [old, current, difference?.png].map((png) =>
      png === undefined
        ? "<td>none</td>"
        : `<td><img src="data:image/png;base64,${Buffer.from(png).toString("base64")}" alt=""></td>`,
    );
    const sum = difference === undefined ? "" : `${difference.pixels} pixels`;
    rows.push(`<tr><th>${index + 1}</th>${pictures.join("")}<td>${sum}</td></tr>`);
  }
  return `<section><h2>${escapeHtml(`${area}: ${name}`)}</h2>
<table><tr><th>page</th><th>before</th><th>now</th><th>difference</th><th></th></tr>${rows.join("")}</table>
<details${count === 0 ? " open" : ""}><summary>Facts</summary><pre>${escapeHtml(linesThatDiffer(before, now))}</pre></details></section>`;
}

/** Pixels that are equal are pale, the others red. */
async function differenceOf(before: Uint8Array, now: Uint8Array) {
  const [a, b] = await Promise.all([before, now].map((png) => readRaster(openPng(png))));
  if (a === undefined || b === undefined) {
    return undefined;
  }
  const [width, height] = [Math.max(a.width, b.width), Math.max(a.height, b.height)];
  const rgba = new Uint8ClampedArray(width * height * 4).fill(255);
  let pixels = 0;
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const [p, q] = [pixelOf(a, x, y), pixelOf(b, x, y)];
      const isEqual = p !== undefined && q !== undefined && p.every((part, i) => part === q[i]);
      pixels += isEqual ? 0 : 1;
      const pale = (part: number): number => 255 - (255 - part) / 4;
      rgba.set(isEqual ? Array.from(p.slice(0, 3), pale) : [220, 0, 0], (y * width + x) * 4);
    }
  }
  return { pixels, png: encodePng(rgba, width, height) };
}

function pixelOf(
  { rgba, width, height }: { rgba: Uint8ClampedArray; width: number; height: number },
  x: number,
  y: number,
): Uint8ClampedArray | undefined {
  const at = (y * width + x) * 4;
  return x < width && y < height ? rgba.subarray(at, at + 4) : undefined;
}

function linesThatDiffer(before: GoldenRender | undefined, now: GoldenRender): string {
  const [old, current] = [before, now].map((one) =>
    (JSON.stringify(one, null, 2) ?? "").split("\n"),
  );
  const [was, is] = [new Set(old), new Set(current)];
  return [
    ...(old ?? []).filter((line) => !is.has(line)).map((line) => `- ${line}`),
    ...(current ?? []).filter((line) => !was.has(line)).map((line) => `+ ${line}`),
  ].join("\n");
}

function reviewPage(): string {
  return `<!doctype html>
<meta charset="utf-8">
<title>Changed renders</title>
<style>body{font:14px sans-serif;margin:2em}td,th{padding:4px;vertical-align:top}img{border:1px solid #999;image-rendering:pixelated;min-width:240px}</style>
<h1>${sections.length} of ${cases} renders changed</h1>
${sections.join("\n")}
`;
}

function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}

async function readJson(file: string): Promise<Record<string, GoldenRender>> {
  const text = await readFile(file, "utf8").catch(() => "{}");
  return JSON.parse(text) as Record<string, GoldenRender>;
}

async function write(file: string, content: string | Uint8Array): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, content);
}

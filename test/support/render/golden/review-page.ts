/** The page that shows changes of golden renders: each page before and now, and the pixels that differ. */
import { readRaster } from "../../../../src/images/raster/raster.ts";
import { encodePng, openPng } from "../../images/encode-png.ts";
import type { GoldenRender } from "./golden-render.ts";

/** PNGs of one page; undefined where there is none. */
interface ChangedPage {
  readonly before: Uint8Array | undefined;
  readonly now: Uint8Array | undefined;
}

interface Facts {
  readonly before: GoldenRender | undefined;
  readonly now: GoldenRender;
}

/** The section of a render whose page images, report or PDF changed. */
export async function changedRender(
  title: string,
  facts: Facts,
  pages: readonly ChangedPage[],
): Promise<string> {
  const rows = await Promise.all(
    pages.map(async ({ before, now }, index) => {
      const difference =
        before === undefined || now === undefined ? undefined : await differenceOf(before, now);
      const pictures = [before, now, difference?.png].map((png) =>
        png === undefined
          ? "<td>none</td>"
          : `<td><img src="data:image/png;base64,${Buffer.from(png).toString("base64")}" alt=""></td>`,
      );
      const sum = difference === undefined ? "" : `pixels that differ: ${difference.pixels}`;
      return `<tr><th>${index + 1}</th>${pictures.join("")}<td>${sum}</td></tr>`;
    }),
  );
  return `<section><h2>${escapeHtml(title)}</h2>
<table><tr><th>page</th><th>before</th><th>now</th><th>difference</th><th></th></tr>${rows.join("")}</table>
<details${rows.length === 0 ? " open" : ""}><summary>Facts</summary><pre>${escapeHtml(linesThatDiffer(facts))}</pre></details></section>`;
}

/** The section of a render whose case is no longer there. */
export function removedRender(title: string): string {
  return `<section><h2>${escapeHtml(title)}</h2><p>Removed.</p></section>`;
}

export function reviewPage(sections: readonly string[], cases: number): string {
  return `<!doctype html>
<meta charset="utf-8">
<title>Changed renders</title>
<style>body{font:14px sans-serif;margin:2em}td,th{padding:4px;vertical-align:top}img{border:1px solid #999;image-rendering:pixelated;min-width:240px}</style>
<h1>${sections.length} of ${cases} renders changed</h1>
${sections.join("\n")}
`;
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

function linesThatDiffer({ before, now }: Facts): string {
  const [old, current] = [before, now].map((one) =>
    (JSON.stringify(one, null, 2) ?? "").split("\n"),
  );
  const [was, is] = [new Set(old), new Set(current)];
  return [
    ...(old ?? []).filter((line) => !is.has(line)).map((line) => `- ${line}`),
    ...(current ?? []).filter((line) => !was.has(line)).map((line) => `+ ${line}`),
  ].join("\n");
}

function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}

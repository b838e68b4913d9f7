/** The command-line programs of poppler, qpdf and mupdf, where they are installed: readers of PDFs that share no code with ours. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openPng } from "../../images/encode-png.ts";
import { type Raster, readRaster } from "../../../../src/images/raster/raster.ts";
import { readPpm } from "./compare-rasters.ts";

export const HAS_POPPLER = ["pdfinfo", "pdffonts", "pdftotext", "pdftoppm"].every(isInstalled);
export const HAS_QPDF = isInstalled("qpdf");
export const HAS_MUPDF = isInstalled("mutool");

const OUTPUT_BYTES_MAX = 64 * 1024 * 1024;

/** What a drawing of a page must measure, in pixels. */
export interface PixelSize {
  readonly width: number;
  readonly height: number;
}

export function isInstalled(program: string): boolean {
  return spawnSync(program, ["-v"]).error === undefined;
}

/** The program's output. Throws if it fails. */
export function run(program: string, ...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(program, args, {
    encoding: "utf8",
    maxBuffer: OUTPUT_BYTES_MAX,
  });
  if (status !== 0) {
    throw new Error(`${program} ${args.join(" ")} ended with ${status}: ${stdout}${stderr}`);
  }
  return stdout;
}

/** What `pdfinfo` and `pdffonts` contradict of a file with this many pages; empty if nothing. */
export function popplerProblems(path: string, pageCount: number): string[] {
  const problems: string[] = [];
  if (!new RegExp(`^Pages: +${pageCount}$`, "m").test(run("pdfinfo", path))) {
    problems.push(`pdfinfo does not find ${pageCount} pages`);
  }
  for (const font of run("pdffonts", path).trim().split("\n").slice(2)) {
    // The columns after the encoding: embedded, subset, with a map to Unicode.
    if (!/^[A-Z]{6}\+.* yes +yes +yes +\d+ +0$/.test(font)) {
      problems.push(`pdffonts finds ${font}`);
    }
  }
  return problems;
}

/** Texts in which equal letters in equal order are equal: readers space differently and mark directions with controls. */
export function withoutSpaces(text: string): string {
  return text.replaceAll(/[\s\p{Cf}\p{Cc}]/gu, "");
}

export function popplerText(path: string): string {
  return run("pdftotext", "-enc", "UTF-8", path, "-");
}

export function mupdfText(path: string): string {
  return run("mutool", "draw", "-q", "-F", "txt", path);
}

/** A page, from 1, as poppler draws it. `folder` takes a file for a moment. */
export function popplerPage(path: string, page: number, size: PixelSize, folder: string): Raster {
  const [n, width, height] = [page, size.width, size.height].map(String) as [
    string,
    string,
    string,
  ];
  const scale = ["-scale-to-x", width, "-scale-to-y", height];
  run("pdftoppm", "-f", n, "-l", n, ...scale, "-singlefile", path, join(folder, "page"));
  return readPpm(readFileSync(join(folder, "page.ppm")));
}

/** The same by mupdf. */
export async function mupdfPage(
  path: string,
  page: number,
  size: PixelSize,
  folder: string,
): Promise<Raster> {
  const image = join(folder, "page.png");
  const scale = ["-w", String(size.width), "-h", String(size.height), "-f"];
  run("mutool", "draw", "-q", ...scale, "-c", "rgb", "-o", image, path, String(page));
  return readRaster(openPng(new Uint8Array(readFileSync(image))));
}

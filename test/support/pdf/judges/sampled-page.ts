import type { Raster } from "../../../../src/images/raster/raster.ts";
import { inGray } from "./compare-rasters.ts";
import { differentMeans, MEAN_DIFFERENCE_MIN, meanPixels, SAMPLES } from "./mean-pixels.ts";
import { HAS_MUPDF, HAS_POPPLER, mupdfPage, popplerPage } from "./pdf-tools.ts";

/** Of a drawing; a page that would have more is drawn with fewer samples. */
const SIDE_MAX = 8_192;

/** How many samples a pixel has along each side, on a page whose longest side has so many pixels. */
export function samplesOf(side: number): number {
  return Math.max(1, Math.min(SAMPLES, Math.floor(SIDE_MAX / side)));
}

/** The shares of pixels that differ, by reader; without those that are not installed. */
export interface SampledShares {
  readonly poppler?: number;
  readonly mupdf?: number;
  readonly "poppler from mupdf"?: number;
}

/**
 * Compares a page with drawings by other readers, all with `samples` × `samples` a pixel. `drawing` is PDFium's, `samples` times as
 * wide and high as the page at 150 dpi. A page for a press is compared by half of a channel's range, because each reader converts
 * the colors of its profile in its own way, and for a gray press in gray.
 */
export async function sampledShares(
  { path, page, folder }: { readonly path: string; readonly page: number; readonly folder: string },
  drawing: Raster,
  samples: number,
  press: "none" | "color" | "gray" = "none",
): Promise<SampledShares> {
  const differenceMin = press === "none" ? MEAN_DIFFERENCE_MIN : 2 * MEAN_DIFFERENCE_MIN;
  const means = (raster: Raster): Raster =>
    meanPixels(press === "gray" ? inGray(raster) : raster, samples);
  const pdfium = means(drawing);
  const poppler = HAS_POPPLER ? means(popplerPage(path, page, drawing, folder)) : undefined;
  const mupdf = HAS_MUPDF ? means(await mupdfPage(path, page, drawing, folder)) : undefined;
  const share = (a: Raster, b: Raster): number => differentMeans(a, b, differenceMin);
  return {
    ...(poppler === undefined ? {} : { poppler: share(pdfium, poppler) }),
    ...(mupdf === undefined ? {} : { mupdf: share(pdfium, mupdf) }),
    ...(poppler === undefined || mupdf === undefined
      ? {}
      : { "poppler from mupdf": share(poppler, mupdf) }),
  };
}

import { scanRGBABuffer } from "@undecaf/zbar-wasm";
import { fitRaster } from "../../../src/images/raster/fit-raster.ts";
import { flattenRaster } from "../../../src/images/raster/flatten-raster.ts";
import type { Raster } from "../../../src/images/raster/raster.ts";

/**
 * Texts that zbar finds, in the original size and at 256 px: zbar shares no code with the runner's reader, and it
 * misses some large pictures that it reads at the size a camera would see. Bars are not scaled, which would blur them.
 */
export async function readWithZbar(picture: Raster, isQr: boolean): Promise<readonly string[]> {
  const flat = flattenRaster(picture);
  const views = isQr && flat.width > 256 ? [flat, fitRaster(flat, 256)] : [flat];
  const texts: string[] = [];
  for (const view of views) {
    const symbols = await scanRGBABuffer(
      view.rgba.slice().buffer as ArrayBuffer,
      view.width,
      view.height,
    );
    texts.push(...symbols.map((symbol) => symbol.decode()));
  }
  return texts;
}

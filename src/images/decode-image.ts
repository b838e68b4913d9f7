import type { ImageCodecs } from "./codec/image-codecs.ts";
import { checkConversion } from "./check-conversion.ts";
import { readImageHeader } from "./header/read-image-header.ts";
import { openImage } from "./open-image.ts";
import { readRaster } from "./raster/read-raster.ts";
import type { Raster } from "./raster/raster.ts";

/**
 * Decodes a picture to RGBA, all of it at once. Throws NodeError `IMAGE_TOO_LARGE` or `IMAGE_UNREADABLE`.
 */
export async function decodeImage(bytes: Uint8Array, codecs: ImageCodecs): Promise<Raster> {
  const header = readImageHeader(bytes);
  const memoryMax = checkConversion(header, bytes.length, "pixels");
  return readRaster(await openImage(bytes, header, codecs, memoryMax));
}

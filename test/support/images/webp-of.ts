import { joinPieces } from "../../../src/images/byte-writer.ts";
import { CONVERSION_BYTES_MAX } from "../../../src/images/conversion-bytes.ts";
import { type Raster, rasterPicture } from "../../../src/images/raster/raster.ts";
import { encodeWebp } from "../../../src/images/webp/webp-encoder.ts";
import { imageCodecs } from "./wasm-modules.ts";

/** The service's own WebP encoding of pixels in memory. */
export async function webpOf(
  pixels: Raster,
  quality: number,
  bytesMax = CONVERSION_BYTES_MAX,
): Promise<Uint8Array> {
  const picture = rasterPicture(pixels);
  return joinPieces([...(await encodeWebp(picture, quality, imageCodecs.webpEncoder, bytesMax))]);
}

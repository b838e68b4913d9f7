import { joinPieces } from "../../../src/images/byte-writer.ts";
import { type Raster, rasterPicture } from "../../../src/images/raster/raster.ts";
import { encodeWebp } from "../../../src/images/webp/webp-encoder.ts";
import { imageCodecs } from "./wasm-modules.ts";

/** The service's own WebP encoding of pixels in memory. */
export async function webpOf(pixels: Raster, quality: number): Promise<Uint8Array> {
  const file = await encodeWebp(rasterPicture(pixels), quality, imageCodecs.webpEncoder);
  return file instanceof Uint8Array ? file.slice() : joinPieces([...file]);
}

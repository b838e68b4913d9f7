import { joinPieces } from "../../../src/images/byte-writer.ts";
import type { Raster } from "../../../src/images/raster/raster.ts";
import { imageCodecs } from "./wasm-modules.ts";
import { JpegEncoder } from "../../../src/images/jpeg/jpeg-encoder.ts";

/** Encodes pixels in memory as a baseline JPEG on white, `quality` 1 to 100; `heldBytes` as in JpegEncoder. */
export function encodeJpeg(
  { rgba, width, height }: Raster,
  quality: number,
  heldBytes?: number,
): Uint8Array {
  const encoder = new JpegEncoder(width, height, quality, imageCodecs.jpeg, false, heldBytes);
  return joinPieces([...encoder.add(rgba), ...encoder.end()]);
}

import { joinPieces } from "../join-pieces.ts";
import type { Raster } from "../raster/raster.ts";
import { JpegEncoder } from "./jpeg-encoder.ts";

/** Encodes pixels that are there whole as a baseline JPEG, laid on white, `quality` 1 to 100. */
export function encodeJpeg({ rgba, width, height }: Raster, quality: number): Uint8Array {
  const encoder = new JpegEncoder(width, height, quality);
  return joinPieces([...encoder.add(rgba), ...encoder.end()]);
}

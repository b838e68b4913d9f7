import { joinPieces } from "../join-pieces.ts";
import { rasterPicture } from "../raster/raster-picture.ts";
import { PngEncoder } from "./png-encoder.ts";

/** Encodes RGBA that is there whole as a PNG. Every pixel that shows is kept. */
export function encodePng(rgba: Uint8ClampedArray, width: number, height: number): Uint8Array {
  if (rgba.length !== width * height * 4) {
    throw new Error(
      `${width} × ${height} px need ${width * height * 4} bytes, got ${rgba.length}.`,
    );
  }
  const { isOpaque } = rasterPicture({ rgba, width, height });
  const encoder = new PngEncoder(width, height, isOpaque);
  return joinPieces([...encoder.add(rgba), ...encoder.end()]);
}

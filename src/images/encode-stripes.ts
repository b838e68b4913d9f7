import { JpegEncoder } from "./jpeg/jpeg-encoder.ts";
import type { ImageCodecs } from "./open-image.ts";
import { PngEncoder } from "./png/png-encoder.ts";
import type { Picture } from "./raster/raster.ts";

/**
 * A PNG or JPEG in pieces, written while the rows of the picture are read. `quality` is that of a JPEG, 1 to 100,
 * `jpeg` its codec, and `heldBytes` as in JpegEncoder.
 */
export async function* encodeStripes(
  picture: Picture,
  format: "png" | "jpg",
  quality: number,
  codecs: Pick<ImageCodecs, "pixels" | "jpeg">,
  heldBytes?: number,
): AsyncGenerator<Uint8Array> {
  const { width, height, isOpaque } = picture;
  const encoder =
    format === "png"
      ? new PngEncoder(codecs.pixels, width, height, isOpaque)
      : new JpegEncoder(width, height, quality, codecs.jpeg, isOpaque, heldBytes);
  for await (const stripe of picture.stripes()) {
    yield* encoder.add(stripe);
  }
  yield* encoder.end();
}

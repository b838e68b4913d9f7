/** What every operation on pictures knows of the files that it reads. */
import { NodeError } from "../lib/errors/node-error.ts";
import type { ImageHeader } from "./header/image-header.ts";
import type { Size } from "./raster/fit-size.ts";
import { packPicture } from "./raster/pack-picture.ts";
import type { Picture } from "./raster/raster.ts";
import { svgError } from "./svg/scan-svg-tags.ts";

export const SVG_TYPE = "image/svg+xml";

/** Size of the pixels that nodes get for an SVG (docs/contract/assets.md#pictures). */
export const SVG_LONGEST_SIDE_PX = 2_048;

/** Rows between a scaled picture, its canvas and the encoder. */
export const STRIPES_BYTES = 512 * 1024;

/** Memory for the pixels of drawings after their renderer has been released. */
export const PACKED_BYTES_MAX = 7 * 1024 * 1024;

/** Throws NodeError `TYPE_MISMATCH`. */
export function checkIsImage(contentType: string): void {
  if (!contentType.startsWith("image/")) {
    throw new NodeError(
      "TYPE_MISMATCH",
      `An image was expected, but the file has the type ${contentType}.`,
    );
  }
}

/** The size of a picture after its orientation is applied. */
export function uprightSize({ width, height, turns }: ImageHeader): Size {
  const isTurned = turns.filter((turn) => turn >= 5).length % 2 === 1;
  return isTurned ? { width: height, height: width } : { width, height };
}

/** A drawing's pixels, packed. Throws NodeError `SVG_UNDRAWABLE` if they take more than `bytesMax`. See `packPicture`. */
export async function packedDrawing(
  drawing: Picture,
  bytesMax: number = PACKED_BYTES_MAX,
  isKept = false,
): Promise<Picture> {
  const packed = await packPicture(drawing, bytesMax, isKept);
  if (packed === undefined) {
    const megabytes = Math.floor((bytesMax / 1024 / 1024) * 10) / 10;
    throw svgError(
      `has so much detail that its pixels need more than ${megabytes} MB when packed, the maximum for a WebP, another size or a layer. Use PNG or JPEG, or simplify it.`,
    );
  }
  return packed;
}

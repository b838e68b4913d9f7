import type { Orientation } from "../../../src/images/header/image-header.ts";
import type { Raster } from "../../../src/images/raster/raster.ts";

/**
 * Rotates or mirrors a picture by its EXIF Orientation, in place: a second copy of a large
 * photograph would not fit into an isolate.
 */
export function orientRaster({ rgba, width, height }: Raster, orientation: Orientation): Raster {
  if (orientation === 1) {
    return { rgba, width, height };
  }
  const swaps = orientation >= 5;
  const [toWidth, toHeight] = swaps ? [height, width] : [width, height];
  const pixels = new Uint32Array(rgba.buffer, rgba.byteOffset, rgba.length / 4);
  const isPlaced = new Uint8Array((pixels.length + 7) >> 3);
  /** Current position of the pixel that belongs at `to`. */
  const sourceOf = (to: number): number => {
    const x = to % toWidth;
    const y = (to - x) / toWidth;
    const [right, bottom] = [width - 1, height - 1];
    switch (orientation) {
      case 2:
        return y * width + (right - x);
      case 3:
        return (bottom - y) * width + (right - x);
      case 4:
        return (bottom - y) * width + x;
      case 5:
        return x * width + y;
      case 6:
        return (bottom - x) * width + y;
      case 7:
        return (bottom - x) * width + (right - y);
      case 8:
        return x * width + (right - y);
    }
  };
  for (let start = 0; start < pixels.length; start++) {
    if (((isPlaced[start >> 3] ?? 0) & (1 << (start & 7))) !== 0) {
      continue;
    }
    // Each pixel is replaced by the next of its cycle; the first is kept until the cycle closes.
    const first = pixels[start] ?? 0;
    for (let to = start; ;) {
      isPlaced[to >> 3] = (isPlaced[to >> 3] ?? 0) | (1 << (to & 7));
      const from = sourceOf(to);
      if (from === start) {
        pixels[to] = first;
        break;
      }
      pixels[to] = pixels[from] ?? 0;
      to = from;
    }
  }
  return { rgba, width: toWidth, height: toHeight };
}

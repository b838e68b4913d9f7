/** Pictures as large as a conversion accepts, for tests of memory. */
import {
  CONVERSION_BYTES_MAX,
  conversionBytes,
  type Target,
} from "../../../src/images/conversion-bytes.ts";
import { readImageHeader } from "../../../src/images/header/read-image-header.ts";
import type { Raster } from "../../../src/images/raster/raster.ts";

/** Pixels that hardly compress and are made quickly. */
export function noise(width: number, height: number, clear = false): Raster {
  const pixels = new Uint32Array(width * height);
  let state = 1;
  for (let i = 0; i < pixels.length; i++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    pixels[i] = (state ^ (state >>> 15)) | (clear ? 0 : 0xff00_0000);
  }
  return { rgba: new Uint8ClampedArray(pixels.buffer), width, height };
}

/** Pixels like those of a photograph: soft, with some grain. */
export function soft(width: number, height: number, clear = false): Raster {
  const { rgba } = noise(width, height);
  for (let i = 0, x = 0, y = 0; i < rgba.length; i += 4) {
    rgba[i] = (rgba[i]! >> 4) + ((x + y) & 127);
    rgba[i + 1] = (rgba[i + 1]! >> 4) + ((x >> 2) & 127);
    rgba[i + 2] = (rgba[i + 2]! >> 4) + ((y >> 1) & 127);
    rgba[i + 3] = clear ? Math.min(255, y >> 1) : 255;
    if (++x === width) {
      [x, y] = [0, y + 1];
    }
  }
  return { rgba, width, height };
}

export type MakePicture = (width: number, height: number) => Uint8Array;

/** Returns the largest file of 4:3 whose conversion is accepted, at most `widest` wide, extrapolated from a small one. */
export function largest(make: MakePicture, to: Target, widest: number): Uint8Array {
  const small = make(800, 600);
  const perPixel = small.length / (800 * 600);
  const sizeOf = (width: number) => ({ width, height: (width * 3) / 4 });
  const taken = (file: Uint8Array, width: number, fileBytes: number) =>
    conversionBytes(readImageHeader(file), sizeOf(width), fileBytes, to);
  let width = widest;
  while (taken(small, width, perPixel * ((width * width * 3) / 4)) > CONVERSION_BYTES_MAX) {
    width -= 4;
  }
  for (;;) {
    const file = make(width, sizeOf(width).height);
    if (taken(file, width, file.length) <= CONVERSION_BYTES_MAX) {
      return file;
    }
    width = Math.floor((width * 0.99) / 4) * 4;
  }
}

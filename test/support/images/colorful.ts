/** A picture of all hues, and how far two pictures are apart. */
import sharp, { type Sharp } from "sharp";
import { expect } from "vitest";
import type { Raster } from "../../../src/images/raster/raster.ts";

/** Of the picture, in px. */
export const SIDE = 96;

/** All hues in all lightness. */
export function colorful(): Sharp {
  const rgb = Buffer.alloc(SIDE * SIDE * 3);
  for (let i = 0; i < SIDE * SIDE; i++) {
    const [x, y] = [(i % SIDE) / SIDE, Math.floor(i / SIDE) / SIDE];
    for (let channel = 0; channel < 3; channel++) {
      const hue = Math.cos((x + channel / 3) * 2 * Math.PI);
      rgb[i * 3 + channel] = 255 * Math.min(1, Math.max(0, y + (hue / 2) * Math.sin(y * Math.PI)));
    }
  }
  return sharp(rgb, { raw: { width: SIDE, height: SIDE, channels: 3 } });
}

/** Mean and largest difference of two pictures' channels, in levels of 255. */
export function distance(one: Raster, other: Raster) {
  expect([one.width, one.height]).toEqual([other.width, other.height]);
  const apart = one.rgba.map((value, i) => Math.abs(value - (other.rgba[i] ?? 0)));
  return { mean: apart.reduce((sum, d) => sum + d, 0) / apart.length, max: Math.max(...apart) };
}

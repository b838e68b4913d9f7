import { byMatrix } from "./icc-table.ts";
import type { SourceProfile } from "./source-profile.ts";

/** Colors at equal distances in each channel, in sRGB: wasm/pixels/colors.c converts pixels between them. */
export interface SrgbGrid {
  /** Three bytes for each point, the last channel counting fastest. */
  readonly colors: Uint8ClampedArray;
  readonly pointsOfSide: number;
  readonly channels: 3 | 4;
}

/** Points of a side, by channels: 108 and 251 KB. */
const POINTS = { 3: 33, 4: 17 } as const;
/** Largest grid in bytes, and what is held while one is computed. */
export const SRGB_GRID_BYTES_MAX = 17 ** 4 * 3;

/** From X, Y and Z relative to D50 to linear sRGB: the inverse of its primaries adapted to D50, by rows. */
const FROM_XYZ = Float64Array.from(
  [
    [3.134_096, -1.617_4, -0.490_638],
    [-0.978_793, 1.916_295, 0.033_454],
    [0.071_971, -0.228_987, 1.405_38],
  ].flat(),
);

/** The curve of sRGB (IEC 61966-2-1), 0 to 1 onto 0 to 255. */
function encoded(light: number): number {
  const value = light <= 0.003_130_8 ? 12.92 * light : 1.055 * light ** (1 / 2.4) - 0.055;
  return 255 * value;
}

/** Whether the profile is sRGB to within a level of 255: pixels stay as they are. */
export function isSrgb(profile: SourceProfile): boolean {
  return profile.channels !== 4 && isIdentity(gridOf(profile, 3, 6, false), 6);
}

/**
 * The profile's colors in sRGB. Gray pictures are converted as three equal channels. With `isInverted` 255 means without ink,
 * as Adobe's programs store CMYK.
 */
export function srgbGrid(profile: SourceProfile, isInverted: boolean): SrgbGrid {
  const channels = profile.channels === 4 ? 4 : 3;
  const pointsOfSide = POINTS[channels];
  const colors = gridOf(profile, channels, pointsOfSide, isInverted);
  return { colors, pointsOfSide, channels };
}

function gridOf(
  { toXyz }: SourceProfile,
  channels: 3 | 4,
  side: number,
  isInverted: boolean,
): Uint8ClampedArray {
  const colors = new Uint8ClampedArray(side ** channels * 3);
  const values = new Float64Array(4);
  for (let point = 0; point < side ** channels; point++) {
    let rest = point;
    for (let channel = channels - 1; channel >= 0; channel--) {
      const part = (rest % side) / (side - 1);
      values[channel] = isInverted ? 1 - part : part;
      rest = Math.floor(rest / side);
    }
    toXyz(values);
    byMatrix(values, FROM_XYZ);
    for (let i = 0; i < 3; i++) {
      colors[point * 3 + i] = encoded(Math.min(1, values[i] ?? 0));
    }
  }
  return colors;
}

function isIdentity(colors: Uint8ClampedArray, side: number): boolean {
  return colors.every((value, i) => {
    const point = Math.floor(i / 3);
    const places = [Math.floor(point / side ** 2), Math.floor(point / side) % side, point % side];
    return Math.abs(value - (255 * (places[i % 3] ?? 0)) / (side - 1)) <= 1;
  });
}

import type { Band } from "../../../images/vector/paint-bands.ts";
import { noiseAt } from "../hash.ts";
import type { PointMap } from "./pen.ts";

/** Size of the part of a picture that effects change, and the strength from 0 to 1. */
export interface EffectRoom {
  readonly width: number;
  readonly height: number;
  readonly strength: number;
  readonly seed: number;
}

/** Changes the pixels of a band; `top` of the band is its position in the picture. */
export type BandEffect = (band: Band, room: EffectRoom) => void;

type Color = readonly [number, number, number];

/** An effect on each pixel from its color and its position in 0 to 1. */
function perPixel(
  change: (rgb: [number, number, number], u: number, v: number, strength: number) => void,
): BandEffect {
  return (band, { width, height, strength }) => {
    const rgb: [number, number, number] = [0, 0, 0];
    let at = 0;
    for (let row = 0; row < band.rows; row++) {
      const v = (band.top + row + 0.5) / height;
      for (let x = 0; x < width; x++, at += 4) {
        rgb[0] = band.rgba[at] as number;
        rgb[1] = band.rgba[at + 1] as number;
        rgb[2] = band.rgba[at + 2] as number;
        change(rgb, (x + 0.5) / width, v, strength);
        band.rgba[at] = rgb[0];
        band.rgba[at + 1] = rgb[1];
        band.rgba[at + 2] = rgb[2];
      }
    }
  };
}

function luma([r, g, b]: Color): number {
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** Adds light like a second projector: never above white. */
function screen(rgb: [number, number, number], light: Color, amount: number): void {
  for (let i = 0; i < 3; i++) {
    rgb[i] = 255 - ((255 - (rgb[i] as number)) * (255 - (light[i] as number) * amount)) / 255;
  }
}

function dim(rgb: [number, number, number], factor: number): void {
  for (let i = 0; i < 3; i++) {
    rgb[i] = (rgb[i] as number) * factor;
  }
}

function falloff(u: number, v: number, x: number, y: number, radius: number): number {
  const distance = Math.hypot(u - x, v - y) / radius;
  return distance >= 1 ? 0 : (1 - distance * distance) ** 2;
}

const goldenHour = perPixel((rgb, u, v, strength) => {
  rgb[0] += (255 - rgb[0]) * 0.12 * strength;
  rgb[2] *= 1 - 0.3 * strength;
  screen(rgb, [255, 164, 60], 0.75 * strength * falloff(u, v, 0.9, 0.08, 1.15));
  dim(rgb, 1 - 0.25 * strength * falloff(u, v, 0, 1, 0.9));
});

const neonGlow = perPixel((rgb, u, v, strength) => {
  rgb[0] *= 1 - 0.62 * strength;
  rgb[1] *= 1 - 0.76 * strength;
  rgb[2] *= 1 - 0.48 * strength;
  screen(rgb, [255, 30, 180], 0.85 * strength * falloff(u, v, 0.05, 0.3, 0.85));
  screen(rgb, [0, 215, 255], 0.85 * strength * falloff(u, v, 0.98, 0.75, 0.85));
});

const softStudio = perPixel((rgb, u, v, strength) => {
  screen(rgb, [255, 250, 244], 0.6 * strength * falloff(u, v, 0.3, 0.1, 0.9));
  dim(rgb, 1 - 0.3 * strength * (1 - falloff(u, v, 0.45, 0.4, 1.2)));
});

/** The shadow of a window's bars, with hard edges. */
const hardShadow: BandEffect = (band, room) => {
  const side = Math.min(room.width, room.height);
  const period = side * 0.24;
  const edge = 1;
  perPixel((rgb, u, v, strength) => {
    const along = (u * room.width * 0.82 + v * room.height * 0.57) % period;
    const inside = Math.min(1, Math.max(0, Math.min(along, period * 0.36 - along) / edge + 0.5));
    dim(rgb, 1 - 0.45 * strength * inside);
  })(band, room);
};

const warmTone = perPixel((rgb, _u, _v, strength) => {
  rgb[0] += (255 - rgb[0]) * 0.3 * strength;
  rgb[2] *= 1 - 0.36 * strength;
});

const coolTone = perPixel((rgb, _u, _v, strength) => {
  rgb[0] *= 1 - 0.36 * strength;
  rgb[2] += (255 - rgb[2]) * 0.3 * strength;
});

const pastel = perPixel((rgb, _u, _v, strength) => {
  const grey = luma(rgb);
  for (let i = 0; i < 3; i++) {
    const value = rgb[i] as number;
    const softer = grey + (value - grey) * 0.62;
    rgb[i] = value + (softer * 0.55 + 255 * 0.45 - value) * strength;
  }
});

const blackAndWhite = perPixel((rgb) => {
  const grey = Math.round(luma(rgb));
  rgb.fill(grey);
});

const vignette = perPixel((rgb, u, v, strength) => {
  const distance = Math.hypot(u - 0.5, v - 0.5) * 1.414;
  dim(rgb, 1 - 0.5 * strength * Math.max(0, distance - 0.45) ** 1.5);
});

const filmGrain: BandEffect = ({ rgba, top, rows }, { width, height, strength, seed }) => {
  const size = Math.max(1, Math.round(Math.sqrt(width * height) / 1400));
  let at = 0;
  for (let row = 0; row < rows; row++) {
    for (let x = 0; x < width; x++, at += 4) {
      const [gx, gy] = [Math.floor(x / size), Math.floor((top + row) / size)];
      const grain = (noiseAt(gx, gy, seed) + noiseAt(gy, gx, seed + 1) - 1) * 92 * strength;
      rgba[at] = (rgba[at] as number) + grain;
      rgba[at + 1] = (rgba[at + 1] as number) + grain;
      rgba[at + 2] = (rgba[at + 2] as number) + grain;
    }
  }
};

/** Dots on a grid at 45°, larger where the picture is darker. */
const halftone: BandEffect = ({ rgba, top, rows }, { width, height, strength }) => {
  const cell = Math.max(4, Math.sqrt(width * height) / 110);
  let at = 0;
  for (let row = 0; row < rows; row++) {
    for (let x = 0; x < width; x++, at += 4) {
      const y = top + row;
      const u = (x + y) / (cell * Math.SQRT2);
      const v = (x - y) / (cell * Math.SQRT2);
      const distance = Math.hypot(u - Math.floor(u) - 0.5, v - Math.floor(v) - 0.5);
      const dark =
        1 - luma([rgba[at] as number, rgba[at + 1] as number, rgba[at + 2] as number]) / 255;
      const inside = Math.min(1, Math.max(0, (Math.sqrt(dark) * 0.72 - distance) * cell + 0.5));
      for (let i = 0; i < 3; i++) {
        const value = rgba[at + i] as number;
        const dot = value * 0.55 * inside + (value + (255 - value) * 0.75) * (1 - inside);
        rgba[at + i] = value + (dot - value) * strength;
      }
    }
  }
};

/** Fibers and a slight unevenness of the sheet. */
const paperTexture: BandEffect = ({ rgba, top, rows }, { width, height, strength, seed }) => {
  const scale = Math.max(1, Math.sqrt(width * height) / 900);
  let at = 0;
  for (let row = 0; row < rows; row++) {
    const y = top + row;
    for (let x = 0; x < width; x++, at += 4) {
      const cloud = smoothNoise(x / (38 * scale), y / (38 * scale), seed) - 0.5;
      const fiber = smoothNoise(x / (9 * scale), y / (1.6 * scale), seed + 7) - 0.5;
      const cross = smoothNoise(x / (1.6 * scale), y / (9 * scale), seed + 13) - 0.5;
      const factor = 1 - strength * (0.07 + 0.14 * cloud + 0.15 * fiber + 0.15 * cross);
      rgba[at] = (rgba[at] as number) * factor;
      rgba[at + 1] = (rgba[at + 1] as number) * factor * (1 - 0.02 * strength);
      rgba[at + 2] = (rgba[at + 2] as number) * factor * (1 - 0.07 * strength);
    }
  }
};

function smoothNoise(x: number, y: number, seed: number): number {
  const [left, top] = [Math.floor(x), Math.floor(y)];
  const [fx, fy] = [x - left, y - top];
  const [sx, sy] = [fx * fx * (3 - 2 * fx), fy * fy * (3 - 2 * fy)];
  const above = noiseAt(left, top, seed) * (1 - sx) + noiseAt(left + 1, top, seed) * sx;
  const below = noiseAt(left, top + 1, seed) * (1 - sx) + noiseAt(left + 1, top + 1, seed) * sx;
  return above * (1 - sy) + below * sy;
}

/** Some strips are shifted, with red and blue apart. */
const glitch: BandEffect = ({ rgba, top, rows }, { width, height, strength, seed }) => {
  const strip = Math.max(2, Math.round(height / 46));
  const row = new Uint8ClampedArray(width * 4);
  for (let y = 0; y < rows; y++) {
    const index = Math.floor((top + y) / strip);
    const share = noiseAt(index, 3, seed);
    const shift =
      share < 0.4 ? Math.round((noiseAt(index, 5, seed) - 0.5) * 0.2 * width * strength) : 0;
    const apart = Math.round(width * 0.012 * strength);
    const from = y * width * 4;
    row.set(rgba.subarray(from, from + width * 4));
    const column = (x: number) => (((x % width) + width) % width) * 4;
    for (let x = 0; x < width; x++) {
      const at = from + x * 4;
      rgba[at] = row[column(x + shift + apart)] as number;
      rgba[at + 1] = row[column(x + shift) + 1] as number;
      rgba[at + 2] = row[column(x + shift - apart) + 2] as number;
    }
  }
};

/** Effects on finished pixels, by the code of the catalog. */
export const BAND_EFFECTS: Readonly<Record<string, BandEffect>> = {
  golden_hour: goldenHour,
  neon_glow: neonGlow,
  soft_studio: softStudio,
  hard_shadow: hardShadow,
  warm_tone: warmTone,
  cool_tone: coolTone,
  pastel,
  black_and_white: blackAndWhite,
  wide_angle: vignette,
  macro: vignette,
  film_grain: filmGrain,
  halftone,
  paper_texture: paperTexture,
  glitch,
};

/** What a lens does to the geometry behind the cards and the text. */
export function lensOf(code: string, width: number, height: number): PointMap | undefined {
  const [cx, cy] = [width / 2, height / 2];
  const reach = Math.hypot(cx, cy);
  switch (code) {
    case "wide_angle":
      // A barrel: lines bend outwards, and the corners move in.
      return (x, y) => {
        const r = Math.hypot(x - cx, y - cy) / reach;
        const factor = 1.5 - 0.46 * r * r;
        return [cx + (x - cx) * factor, cy + (y - cy) * factor];
      };
    case "macro":
      return (x, y) => [cx + (x - width * 0.6) * 1.9, height + (y - height) * 1.9];
    default:
      return undefined;
  }
}

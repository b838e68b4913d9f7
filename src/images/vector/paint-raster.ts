import type { Rgb } from "../../contracts/code-symbol.ts";
import { type Coverage, coverPath } from "./cover-path.ts";
import type { Layer, Scene } from "./scene.ts";

/** Paints a scene as RGBA (not premultiplied), with exact area anti-aliasing. */
export function paintRaster(scene: Scene): Uint8ClampedArray {
  const { width, height } = scene;
  const rgba = new Uint8ClampedArray(width * height * 4);
  const pixels = new Uint32Array(rgba.buffer);
  if (scene.background !== null) {
    pixels.fill(opaque(scene.background));
  }
  for (const layer of scene.layers) {
    paintLayer(layer, scene, rgba, pixels);
  }
  return rgba;
}

function paintLayer(
  layer: Layer,
  scene: Scene,
  rgba: Uint8ClampedArray,
  pixels: Uint32Array,
): void {
  switch (layer.kind) {
    case "rects": {
      const color = opaque(layer.color);
      const { rects } = layer;
      for (let i = 0; i + 3 < rects.length; i += 4) {
        const [y, height] = [rects[i + 1] as number, rects[i + 3] as number];
        for (let row = y; row < y + height; row++) {
          const from = row * scene.width + (rects[i] as number);
          fillRow(pixels, color, from, from + (rects[i + 2] as number));
        }
      }
      break;
    }
    case "stamps": {
      const coverage = coverPath(layer.path);
      for (let i = 0; i + 1 < layer.at.length; i += 2) {
        stamp(coverage, layer.color, layer.at[i] ?? 0, layer.at[i + 1] ?? 0, scene, rgba, pixels);
      }
      break;
    }
    case "picture":
      for (let y = 0; y < layer.height; y++) {
        for (let x = 0; x < layer.width; x++) {
          const from = (y * layer.width + x) * 4;
          const to = ((layer.y + y) * scene.width + layer.x + x) * 4;
          const { rgba: source } = layer;
          blend(
            rgba,
            to,
            source[from] ?? 0,
            source[from + 1] ?? 0,
            source[from + 2] ?? 0,
            source[from + 3] ?? 0,
          );
        }
      }
      break;
  }
}

/** With fewer pixels, a call of `fill` costs more than the pixels. */
const FILL_FROM = 32;

function fillRow(pixels: Uint32Array, color: number, from: number, to: number): void {
  if (to - from >= FILL_FROM) {
    pixels.fill(color, from, to);
    return;
  }
  for (let at = from; at < to; at++) {
    pixels[at] = color;
  }
}

function stamp(
  coverage: Coverage,
  color: Rgb,
  atX: number,
  atY: number,
  scene: Scene,
  rgba: Uint8ClampedArray,
  pixels: Uint32Array,
): void {
  const full = opaque(color);
  const [r, g, b] = color;
  const left = atX + coverage.left;
  const top = atY + coverage.top;
  const fromX = Math.max(0, -left);
  const toX = Math.min(coverage.width, scene.width - left);
  const fromY = Math.max(0, -top);
  const toY = Math.min(coverage.height, scene.height - top);
  for (let y = fromY; y < toY; y++) {
    let at = (top + y) * scene.width + left + fromX;
    let index = y * coverage.width + fromX;
    for (let x = fromX; x < toX; x++, at++, index++) {
      const alpha = coverage.alpha[index] ?? 0;
      if (alpha === 255) {
        pixels[at] = full;
      } else if (alpha > 0) {
        blend(rgba, at * 4, r, g, b, alpha);
      }
    }
  }
}

/** Source over destination, both not premultiplied. */
function blend(
  rgba: Uint8ClampedArray,
  at: number,
  r: number,
  g: number,
  b: number,
  alpha: number,
): void {
  const below = rgba[at + 3] ?? 0;
  if (alpha === 0) {
    return;
  }
  const source = alpha / 255;
  const rest = (below / 255) * (1 - source);
  const total = source + rest;
  rgba[at] = (r * source + (rgba[at] ?? 0) * rest) / total;
  rgba[at + 1] = (g * source + (rgba[at + 1] ?? 0) * rest) / total;
  rgba[at + 2] = (b * source + (rgba[at + 2] ?? 0) * rest) / total;
  rgba[at + 3] = total * 255;
}

/** A pixel as a little-endian word, the byte order of workerd, Node and wasm. */
function opaque([r, g, b]: Rgb): number {
  return ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0;
}

import type { ImageCodecs } from "../../../src/images/open-image.ts";
import { encodePng } from "../../../src/images/png/png-encoder.ts";
import { preparePicture } from "../../../src/render/pdf/pictures/prepare-picture.ts";
import { writePdf } from "../../../src/render/pdf/write-pdf.ts";
import type { DisplayItem } from "../../../src/templates/display-list.ts";
import { NO_RESOURCES, PLAIN_OPTIONS, joined, pageOf, rectangle } from "./plain-options.ts";

/** SHA-256 of `shapesAndPicture`, the same in Node and in workerd. */
export const SAME_BYTES = "ecc8730c167463f4b434e3bc88670dc94e72f23a4085b5a4dd5a012dea8c0b8b";

/**
 * A file with paths, a gradient, a group, and a picture with opacities, all of it deflated. `pixels` is the compiled
 * pixels.wasm, which Node and workerd get in their own ways.
 */
export async function shapesAndPicture(pixels: WebAssembly.Module): Promise<Uint8Array> {
  const rgba = Uint8ClampedArray.from({ length: 64 * 48 * 4 }, (_, i) => (i * i) % 253);
  const png = encodePng(pixels, rgba, 64, 48);
  const picture = await preparePicture(png, { pixels } as ImageCodecs, { allowsCmyk: true });
  if (typeof picture === "string") {
    throw new Error(picture);
  }
  const stops = [
    { offset: 0, rgb: [255, 0, 0], opacity: 1 },
    { offset: 1, rgb: [0, 0, 255], opacity: 0 },
  ] as const;
  const shape = { kind: "linear", x1: 0, y1: 0, x2: 40, y2: 0 } as const;
  const box: DisplayItem = {
    kind: "path",
    path: rectangle(1 / 3, 2 / 7, 40, 30),
    fillRule: "non_zero",
    fill: { paint: { kind: "gradient", transform: [1, 0, 0, 1, 0, 0], shape, stops }, opacity: 1 },
    stroke: null,
    isStrokeFirst: false,
  };
  const items: DisplayItem[] = Array.from({ length: 40 }, (_, i) => ({
    kind: "group",
    transform: [Math.cos(i), Math.sin(i), -Math.sin(i), Math.cos(i), 100, 50],
    opacity: i % 2 === 0 ? 1 : 0.5,
    clip: null,
    mask: null,
    items: [box],
  }));
  items.push({ kind: "picture", picture: "p", matrix: [64, 0, 0, 48, 10, 10] });
  const resources = { ...NO_RESOURCES, picture: () => picture };
  return joined(writePdf([pageOf(items)], resources, PLAIN_OPTIONS));
}

export async function digestOf(bytes: Uint8Array): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", Uint8Array.from(bytes));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

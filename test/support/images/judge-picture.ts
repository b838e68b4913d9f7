/** Decoders that the service does not use, and the distance of two pictures. */
import { PhotonImage } from "@silvia-odwyer/photon-node";
import jpeg from "jpeg-js";
import { GifReader } from "omggif";
import type { Raster } from "../../../src/images/raster/raster.ts";
import { decodePng } from "../node/decode-png.ts";

/** Decodes by jpeg-js, image-rs (WebP), omggif, or this repository's test reader of PNG. */
export function decodeElsewhere(bytes: Uint8Array): Raster {
  const start = String.fromCharCode(...bytes.subarray(0, 12));
  if (start.startsWith("\u0089PNG")) {
    const { rgba, width, height } = decodePng(bytes);
    return { rgba: new Uint8ClampedArray(rgba), width, height };
  }
  if (start.startsWith("\u00ff\u00d8")) {
    const { data, width, height } = jpeg.decode(bytes, { maxMemoryUsageInMB: 2_000 });
    return { rgba: new Uint8ClampedArray(data), width, height };
  }
  if (start.endsWith("WEBP")) {
    const image = PhotonImage.new_from_byteslice(bytes);
    const [width, height] = [image.get_width(), image.get_height()];
    const rgba = new Uint8ClampedArray(image.get_raw_pixels());
    image.free();
    return { rgba, width, height };
  }
  const reader = new GifReader(bytes);
  const rgba = new Uint8ClampedArray(reader.width * reader.height * 4);
  reader.decodeAndBlitFrameRGBA(0, rgba);
  return { rgba, width: reader.width, height: reader.height };
}

/** Peak signal-to-noise ratio in dB, over colors that are visible in either picture; Infinity for identical ones. */
export function psnr(one: Raster, other: Raster): number {
  if (one.width !== other.width || one.height !== other.height) {
    throw new Error(
      `${one.width} × ${one.height} px and ${other.width} × ${other.height} px cannot be compared.`,
    );
  }
  let [squares, count] = [0, 0];
  for (let at = 0; at < one.rgba.length; at += 4) {
    if (one.rgba[at + 3] === 0 && other.rgba[at + 3] === 0) {
      continue;
    }
    for (let channel = at; channel < at + 3; channel++) {
      squares += (one.rgba[channel]! - other.rgba[channel]!) ** 2;
      count++;
    }
  }
  return 10 * Math.log10(255 ** 2 / (squares / count));
}

/** The same over colors multiplied by their opacity, and opacities: what is seen on black. */
export function visiblePsnr(one: Raster, other: Raster): number {
  if (one.width !== other.width || one.height !== other.height) {
    throw new Error(
      `${one.width} × ${one.height} px and ${other.width} × ${other.height} px cannot be compared.`,
    );
  }
  let squares = 0;
  for (let at = 0; at < one.rgba.length; at += 4) {
    const [a, b] = [one.rgba[at + 3]! / 255, other.rgba[at + 3]! / 255];
    squares += (255 * (a - b)) ** 2;
    for (let channel = at; channel < at + 3; channel++) {
      squares += (one.rgba[channel]! * a - other.rgba[channel]! * b) ** 2;
    }
  }
  return 10 * Math.log10(255 ** 2 / (squares / one.rgba.length));
}

/** Transparency, one byte per pixel. */
export function alphaOf({ rgba }: Raster): Uint8Array {
  const alpha = new Uint8Array(rgba.length / 4);
  for (let i = 0; i < alpha.length; i++) {
    alpha[i] = rgba[i * 4 + 3]!;
  }
  return alpha;
}

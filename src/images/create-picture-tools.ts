import { NodeError } from "../lib/node-error.ts";
import type { ImageCodecs } from "./codec/image-codecs.ts";
import { decodeImage } from "./decode-image.ts";
import { encodeJpeg } from "./jpeg/encode-jpeg.ts";
import { encodePng } from "./png/encode-png.ts";
import type { Raster } from "./raster/raster.ts";
import { decodeSvgText } from "./svg/decode-svg-text.ts";
import { drawSvg } from "./svg/draw-svg.ts";
import { encodeWebp } from "./webp/encode-webp.ts";

/** Nodes that need pixels get an SVG this large (spec 1 §4.3). */
const SVG_LONGEST_SIDE_PX = 2_048;

/** Small files whose faults nobody sees on a photograph: what most tools take. */
const QUALITY_DEFAULT = { jpg: 85, webp: 80 } as const;

/** All that is done with pictures, over one isolate's codecs and SVG renderer. */
export function createPictureTools(codecs: ImageCodecs, svgRenderer: WebAssembly.Module) {
  return {
    encodePng: (rgba: Uint8ClampedArray, width: number, height: number) =>
      Promise.resolve(encodePng(rgba, width, height)),
    decode: (bytes: Uint8Array) => decodeImage(bytes, codecs),
    drawSvg: (svg: string, longestSide: number) => drawSvg(svg, longestSide, svgRenderer),
    async pixels(bytes: Uint8Array, contentType: string): Promise<Raster> {
      if (contentType === "image/svg+xml") {
        return drawSvg(decodeSvgText(bytes), SVG_LONGEST_SIDE_PX, svgRenderer);
      }
      if (contentType.startsWith("image/")) {
        return decodeImage(bytes, codecs);
      }
      throw new NodeError(
        "TYPE_MISMATCH",
        `An image was expected, got a file of type ${contentType}.`,
      );
    },
    async encode(
      pixels: Raster,
      format: "png" | "jpg" | "webp",
      quality?: number,
    ): Promise<Uint8Array> {
      switch (format) {
        case "png":
          return encodePng(pixels.rgba, pixels.width, pixels.height);
        case "jpg":
          return encodeJpeg(pixels, quality ?? QUALITY_DEFAULT.jpg);
        case "webp":
          return encodeWebp(pixels, quality ?? QUALITY_DEFAULT.webp, codecs);
      }
    },
  };
}

import { NodeError } from "../lib/node-error.ts";
import { checkConversion, conversionBytes } from "./conversion-bytes.ts";
import { decodeImage, type ImageCodecs, openImage } from "./open-image.ts";
import { readImageHeader } from "./header/read-image-header.ts";
import { JpegEncoder } from "./jpeg/jpeg-encoder.ts";
import { encodePng, PngEncoder } from "./png/png-encoder.ts";
import type { Picture } from "./raster/raster.ts";
import { decodeSvgText } from "./svg/check-svg.ts";
import { packPicture } from "./raster/pack-picture.ts";
import { drawSvg, openSvg } from "./svg/draw-svg.ts";
import { svgError } from "./svg/scan-svg-tags.ts";
import { encodeWebp } from "./webp/webp-encoder.ts";

/** Nodes that need pixels get an SVG this large (docs/contract/assets.md#pictures). */
const SVG_LONGEST_SIDE_PX = 2_048;

/** Small files whose faults nobody sees on a photograph: what most tools take. */
const QUALITY_DEFAULT = { jpg: 85, webp: 80 } as const;

/** What is given to a drawing's pixels between the renderer and the WebP encoder. */
const PACKED_BYTES_MAX = 7 * 1024 * 1024;

type Format = "png" | "jpg" | "webp";

/** Their memory is what their header says; a codec's wasm may grow as far as any conversion may. */
const OWN_DECODERS: ReadonlySet<string> = new Set(["png", "jpeg", "gif"]);

/**
 * All that is done with pictures, over one isolate's codecs and SVG renderer. `onBytes` hears how
 * much a conversion takes at most, where that is less than any may.
 */
export function createPictureTools(codecs: ImageCodecs, svgRenderer: WebAssembly.Module) {
  const open = async (
    bytes: Uint8Array,
    contentType: string,
    format: Format,
    onBytes: (bytes: number) => void,
  ) => {
    if (contentType === "image/svg+xml") {
      const drawing = await openSvg(decodeSvgText(bytes), SVG_LONGEST_SIDE_PX, svgRenderer);
      // The renderer, with its layers, and the WebP encoder have no room side by side.
      return format === "webp" ? packedDrawing(drawing) : drawing;
    }
    if (contentType.startsWith("image/")) {
      const header = readImageHeader(bytes);
      const memoryMax = checkConversion(header, bytes.length, format);
      if (OWN_DECODERS.has(header.format) && format !== "webp") {
        onBytes(conversionBytes(header, header, bytes.length, format));
      }
      return openImage(bytes, header, codecs, memoryMax);
    }
    throw new NodeError(
      "TYPE_MISMATCH",
      `An image was expected, got a file of type ${contentType}.`,
    );
  };
  return {
    encodePng: (rgba: Uint8ClampedArray, width: number, height: number) =>
      Promise.resolve(encodePng(rgba, width, height)),
    decode: (bytes: Uint8Array) => decodeImage(bytes, codecs),
    drawSvg: (svg: string, longestSide: number) => drawSvg(svg, longestSide, svgRenderer),
    async convert(
      bytes: Uint8Array,
      contentType: string,
      format: Format,
      quality?: number,
      onBytes: (bytes: number) => void = () => undefined,
    ): Promise<Uint8Array | AsyncIterable<Uint8Array> | Iterable<Uint8Array>> {
      const picture = await open(bytes, contentType, format, onBytes);
      return format === "webp"
        ? encodeWebp(picture, quality ?? QUALITY_DEFAULT.webp, codecs.webpEncoder)
        : encoded(picture, format, quality);
    },
  };
}

async function packedDrawing(drawing: Picture): Promise<Picture> {
  const packed = await packPicture(drawing, PACKED_BYTES_MAX);
  if (packed === undefined) {
    throw svgError(
      `has so much in it that its pixels take more than ${PACKED_BYTES_MAX / 1024 / 1024} MB packed, which is the most for a WebP. Take PNG or JPEG, or simplify it.`,
    );
  }
  return packed;
}

async function* encoded(
  picture: Picture,
  format: "png" | "jpg",
  quality: number = QUALITY_DEFAULT.jpg,
): AsyncGenerator<Uint8Array> {
  const { width, height, isOpaque } = picture;
  const encoder =
    format === "png"
      ? new PngEncoder(width, height, isOpaque)
      : new JpegEncoder(width, height, quality);
  for await (const stripe of picture.stripes()) {
    yield* encoder.add(stripe);
  }
  yield* encoder.end();
}

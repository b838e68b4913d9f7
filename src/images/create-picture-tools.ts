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

/** Size of the pixels that nodes get for an SVG (docs/contract/assets.md#pictures). */
const SVG_LONGEST_SIDE_PX = 2_048;

/** Small files without visible losses on photographs: the default of most tools. */
const QUALITY_DEFAULT = { jpg: 85, webp: 80 } as const;

/** Memory for a drawing's pixels between the renderer and the WebP encoder. */
const PACKED_BYTES_MAX = 7 * 1024 * 1024;

type Format = "png" | "jpg" | "webp";

/**
 * The memory of these is given by their header; a codec's wasm may grow up to the limit of any
 * conversion.
 */
const OWN_DECODERS: ReadonlySet<string> = new Set(["png", "jpeg", "gif"]);

/**
 * All operations on pictures, with one isolate's codecs and SVG renderer. `onBytes` receives a
 * conversion's maximum memory, if it is below the limit of any conversion.
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
      // The renderer with its layers and the WebP encoder do not fit into memory together.
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
      `An image was expected, but the file has the type ${contentType}.`,
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
      `has so much detail that its pixels need more than ${PACKED_BYTES_MAX / 1024 / 1024} MB when packed, the maximum for a WebP. Use PNG or JPEG, or simplify it.`,
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

import type {
  Background,
  ResizeRequest,
  StoredLayer,
  StoredPicture,
} from "../contracts/models/picture-edits.ts";
import type { ColorConversion } from "./color/convert-colors.ts";
import { composePictures } from "./compose-pictures.ts";
import {
  checkConversion,
  conversionBytes,
  jpegHeldBytes,
  webpWriterBytesMax,
  type Written,
} from "./conversion-bytes.ts";
import { encodeStripes } from "./encode-stripes.ts";
import { decodeImage, type ImageCodecs, openImage } from "./open-image.ts";
import { imageTooLarge } from "./image-errors.ts";
import type { ImageHeader } from "./header/image-header.ts";
import { LIMITS } from "../lib/limits/limits-table.ts";
import { readImageHeader } from "./header/read-image-header.ts";
import { encodePng } from "./png/png-encoder.ts";
import type { Picture } from "./raster/raster.ts";
import { decodeSvgText } from "./svg/check-svg.ts";
import {
  checkIsImage,
  packedDrawing,
  STRIPES_BYTES,
  SVG_LONGEST_SIDE_PX,
  SVG_TYPE,
  uprightSize,
} from "./picture-sources.ts";
import { fitSize, type Size } from "./raster/fit-size.ts";
import { layOnCanvas } from "./raster/lay-on-canvas.ts";
import { resamplePicture } from "./raster/resample-picture.ts";
import { RowResampler } from "./raster/row-resampler.ts";
import { drawSvg, openSvg } from "./svg/draw-svg.ts";
import { encodeWebp } from "./webp/webp-encoder.ts";

/** Small files without visible losses on photographs: the default of most tools. */
const QUALITY_DEFAULT = { jpg: 85, webp: 80 } as const;

/** Of pictures that are resized and stay JPEG. */
const RESIZED_JPEG_QUALITY = 90;

/** Maximum side of a picture that is written in another size. */
const SIDE_MAX = LIMITS.resized_side.value;

type Format = "png" | "jpg" | "webp";

/** A file's bytes, whole or in pieces that are valid until the next one is requested. */
export type FileBytes = Uint8Array | AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

interface ConvertOptions {
  /** 1 to 100, for jpg and webp. */
  readonly quality?: number | undefined;
  readonly background?: Background | undefined;
}

/** Formats that a resized picture keeps; others become PNG. */
const KEPT_FORMATS: ReadonlyMap<string, Format> = new Map([
  ["png", "png"],
  ["jpeg", "jpg"],
  ["webp", "webp"],
]);

/**
 * The memory of these is given by their header; a codec's wasm may grow up to the limit of any
 * conversion.
 */
const OWN_DECODERS: ReadonlySet<string> = new Set(["png", "jpeg", "gif"]);

/**
 * All operations on pictures, with one isolate's codecs and SVG renderer. `onBytes` receives the maximum memory of an
 * operation, if it is below the limit of any, and `onColors` how the colors of a picture that is not sRGB are converted.
 */
export function createPictureTools(
  codecs: ImageCodecs,
  svgRenderer: WebAssembly.Module,
  onBytes: (bytes: number) => void = () => undefined,
  onColors?: (conversion: ColorConversion) => void,
) {
  /** `planFor` gets the size of the picture, turned upright, before anything is decoded. */
  const open = async <P extends Conversion>(
    bytes: Uint8Array,
    contentType: string,
    planFor: (from: Source) => P,
  ): Promise<{
    readonly picture: Picture;
    readonly conversion: P;
    /** For the writer of a JPEG. */
    readonly heldBytes?: number;
  }> => {
    if (contentType === SVG_TYPE) {
      const drawing = await openSvg(decodeSvgText(bytes), SVG_LONGEST_SIDE_PX, svgRenderer);
      const { width, height } = drawing;
      const conversion = planFor({ format: "svg", width, height, hasAlpha: true });
      const { to, written } = conversion;
      const isSame = width === written.width && height === written.height;
      // The renderer with its layers has no room for a WebP encoder or another size beside it.
      return {
        picture: to === "webp" || !isSame ? await packedDrawing(drawing) : drawing,
        conversion,
      };
    }
    checkIsImage(contentType);
    const header = readImageHeader(bytes);
    const { format, hasAlpha } = header;
    const conversion = planFor({ format, ...uprightSize(header), hasAlpha });
    const { to, written } = conversion;
    const memoryMax = checkConversion(header, bytes.length, to, written);
    const needed = conversionBytes(header, header, bytes.length, to, written);
    const heldBytes = to === "jpg" ? jpegHeldBytes(needed, written) : 0;
    if (OWN_DECODERS.has(format) && to !== "webp") {
      onBytes(needed + heldBytes);
    }
    const picture = await openImage(bytes, header, codecs, memoryMax - heldBytes, onColors);
    return { picture, conversion, heldBytes };
  };
  const write = (
    picture: Picture,
    format: Format,
    fileBytes: number,
    quality: number | undefined,
    heldBytes: number | undefined,
  ) =>
    format === "webp"
      ? encodeWebp(
          picture,
          quality ?? QUALITY_DEFAULT.webp,
          codecs.webpEncoder,
          webpWriterBytesMax(picture, fileBytes),
        )
      : encodeStripes(picture, format, quality ?? QUALITY_DEFAULT.jpg, codecs, heldBytes);
  return {
    encodePng: (rgba: Uint8ClampedArray, width: number, height: number) =>
      Promise.resolve(encodePng(codecs.pixels, rgba, width, height)),
    decode: (bytes: Uint8Array) => decodeImage(bytes, codecs),
    drawSvg: (svg: string, longestSide: number) => drawSvg(svg, longestSide, svgRenderer),
    isUpright: (bytes: Uint8Array) => Promise.resolve(readImageHeader(bytes).turns.length === 0),
    async convert(
      bytes: Uint8Array,
      contentType: string,
      format: Format,
      { quality, background = null }: ConvertOptions = {},
    ): Promise<FileBytes> {
      const { picture, heldBytes } = await open(
        bytes,
        contentType,
        ({ width, height, hasAlpha }) => {
          const isClear = hasAlpha && background === null;
          return { to: format, written: { width, height, hasAlpha: isClear, besideBytes: 0 } };
        },
      );
      const laid = layOnCanvas(picture, picture, 0, 0, background);
      return write(laid, format, bytes.length, quality, heldBytes);
    },
    async resize(
      bytes: Uint8Array,
      contentType: string,
      request: ResizeRequest,
    ): Promise<Size & { readonly bytes: FileBytes; readonly format: Format }> {
      const { picture, conversion, heldBytes } = await open(bytes, contentType, (from) =>
        planResize(from, request),
      );
      const { to, fitted, background } = conversion;
      const resized = resamplePicture(codecs.pixels, picture, fitted.scaled, fitted.window);
      const { canvas, left, top } = fitted;
      const placed = layOnCanvas(resized, canvas, left, top, background);
      const quality = to === "jpg" ? RESIZED_JPEG_QUALITY : undefined;
      const file = await write(placed, to, bytes.length, quality, heldBytes);
      return { bytes: file, format: to, ...canvas };
    },
    compose: (base: StoredPicture, layers: readonly StoredLayer[]): Promise<FileBytes> =>
      Promise.resolve(composePictures({ codecs, svgRenderer, onColors }, base, layers)),
  };
}

/** The new file of a picture. */
interface Conversion {
  readonly to: Format;
  readonly written: Written;
}

/** A picture's size, turned upright, and what else decides about its new file. */
interface Source extends Size {
  readonly format: ImageHeader["format"] | "svg";
  readonly hasAlpha: boolean;
}

function planResize(from: Source, request: ResizeRequest) {
  const fitted = fitSize(from, request, request.fit);
  const { scaled, window, canvas } = fitted;
  checkSide(canvas);
  // Only `contain` has a background; other pictures keep their transparency.
  const background = request.fit === "contain" ? request.background : null;
  const isPadded = canvas.width > window.width || canvas.height > window.height;
  const hasAlpha = (from.hasAlpha || isPadded) && background === null;
  const format = KEPT_FORMATS.get(from.format) ?? "png";
  const to: Format = format === "jpg" && isPadded && background === null ? "png" : format;
  const besideBytes = RowResampler.bytes(from, scaled, window) + STRIPES_BYTES;
  return { fitted, background, to, written: { ...canvas, hasAlpha, besideBytes } };
}

/** The new size follows from the picture's proportions, so it can be too large although both parameters are not. */
function checkSide({ width, height }: Size): void {
  if (Math.max(width, height) > SIDE_MAX) {
    throw imageTooLarge(
      `would have ${width} × ${height} px; at most ${SIDE_MAX} px on each side can be written. Ask for a smaller picture.`,
    );
  }
}

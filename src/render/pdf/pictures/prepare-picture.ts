import { areSrgb } from "../../../images/color/convert-colors.ts";
import { checkConversion, conversionBytes } from "../../../images/conversion-bytes.ts";
import type { ImageHeader } from "../../../images/header/image-header.ts";
import { imageTooLarge } from "../../../images/image-errors.ts";
import { readImageHeader } from "../../../images/header/read-image-header.ts";
import { type ImageCodecs, noteColors, openImage } from "../../../images/open-image.ts";
import type { Picture } from "../../../images/raster/raster.ts";
import { NodeError } from "../../../lib/errors/node-error.ts";
import { PixelPacker } from "./pack-pixels.ts";
import { passJpeg } from "./pass-jpeg.ts";
import { passPng } from "./pass-png.ts";
import type { PictureFailure } from "../../../contracts/templates/layout-report.ts";
import type { PictureRules } from "./picture-rules.ts";
import type { PreparedPicture } from "./prepared-picture.ts";

/**
 * A picture as the PDF holds it, from a file of any origin (docs/contract/templates.md#pictures): JPEG's data and most
 * PNGs' as they are, others decoded and deflated. Returns why it cannot be printed instead. The pixels of all but JPEG are decompressed
 * once, so that damage is found here and not by the reader.
 */
export async function preparePicture(
  bytes: Uint8Array,
  codecs: ImageCodecs,
  rules: PictureRules,
): Promise<PreparedPicture | PictureFailure> {
  try {
    if (bytes[0] === 0xff && bytes[1] === 0xd8) {
      return passJpeg(bytes, rules);
    }
    const header = readImageHeader(bytes);
    if (header.format === "avif") {
      return "unsupported";
    }
    // Pixels in the PDF are sRGB.
    if (header.format === "png" && areSrgb(header.colors)) {
      const pixels = await passPng(bytes);
      if (pixels !== undefined) {
        noteColors(header, rules.onColors);
        const { width, height } = header;
        return { facts: { format: "png", width, height, orientation: 1 }, pixels, alpha: null };
      }
    }
    return await decodePicture(bytes, header, codecs, rules);
  } catch (error) {
    return failureOf(error);
  }
}

/** Of a pixel that is compressed again, at most: three colors and its opacity. */
const PACKED_PIXEL_BYTES = 4;

/** What a picture holds while it is prepared, beside its file. */
export interface Preparing {
  readonly decoderBytes: number;
  /** Of the pixels once they are compressed again, however well that goes. */
  readonly packedBytes: number;
}

const PASSED_ON: Preparing = { decoderBytes: 0, packedBytes: 0 };

/** Maximum memory of a picture while it is prepared. Data that is passed on as it is takes none. */
export function preparingBytes(bytes: Uint8Array): Preparing {
  if (bytes[0] === 0xff && bytes[1] === 0xd8) {
    return PASSED_ON;
  }
  try {
    const header = readImageHeader(bytes);
    const { width, height, format } = header;
    return format === "avif"
      ? PASSED_ON
      : {
          decoderBytes: conversionBytes(header, header, bytes.length, "png") - bytes.length,
          packedBytes: PACKED_PIXEL_BYTES * width * height,
        };
  } catch {
    // `preparePicture` says what is wrong with it.
    return PASSED_ON;
  }
}

/** Errors of code, not of the file, are thrown on. */
function failureOf(error: unknown): PictureFailure {
  if (error instanceof NodeError) {
    if (error.code === "IMAGE_TOO_LARGE") {
      return "too_large";
    }
    if (error.code === "IMAGE_UNREADABLE") {
      return "unreadable";
    }
  }
  throw error;
}

async function decodePicture(
  bytes: Uint8Array,
  header: ImageHeader,
  codecs: ImageCodecs,
  { packedBytesMax = Number.POSITIVE_INFINITY, onColors }: PictureRules,
): Promise<PreparedPicture> {
  const memoryMax = checkConversion(header, bytes.length, "png");
  const picture: Picture = await openImage(bytes, header, codecs, memoryMax, onColors);
  const { width, height } = picture;
  const packer = new PixelPacker(codecs.pixels, width, height);
  const checkRoom = () => {
    if (packer.bytes > packedBytesMax) {
      throw imageTooLarge(`has pixels of more than ${packedBytesMax} bytes, compressed.`);
    }
  };
  for await (const stripe of picture.stripes()) {
    packer.add(stripe);
    checkRoom();
  }
  const { pixels, alpha } = packer.end();
  // The last rows, which are all of a small picture.
  checkRoom();
  const format = header.format === "png" || header.format === "gif" ? header.format : "webp";
  return { facts: { format, width, height, orientation: 1 }, pixels, alpha };
}

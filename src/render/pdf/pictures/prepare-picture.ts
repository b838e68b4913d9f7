import { checkConversion } from "../../../images/conversion-bytes.ts";
import type { ImageHeader } from "../../../images/header/image-header.ts";
import { readImageHeader } from "../../../images/header/read-image-header.ts";
import { type ImageCodecs, openImage } from "../../../images/open-image.ts";
import type { Picture } from "../../../images/raster/raster.ts";
import { NodeError } from "../../../lib/node-error.ts";
import { PixelPacker } from "./pack-pixels.ts";
import { passJpeg } from "./pass-jpeg.ts";
import { passPng } from "./pass-png.ts";
import type { PictureFailure } from "../../../contracts/layout-report.ts";
import type { PreparedPicture } from "./prepared-picture.ts";

export interface PictureRules {
  /** Whether the output can print CMYK pictures: not PDF/X-4 with an RGB or gray profile. */
  readonly allowsCmyk: boolean;
}

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
    if (header.format === "png") {
      const pixels = await passPng(bytes);
      if (pixels !== undefined) {
        const { width, height } = header;
        return { facts: { format: "png", width, height, orientation: 1 }, pixels, alpha: null };
      }
    }
    return await decodePicture(bytes, header, codecs);
  } catch (error) {
    return failureOf(error);
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
): Promise<PreparedPicture> {
  const memoryMax = checkConversion(header, bytes.length, "png");
  const picture: Picture = await openImage(bytes, header, codecs, memoryMax);
  const { width, height } = picture;
  const packer = new PixelPacker(width, height);
  for await (const stripe of picture.stripes()) {
    packer.add(stripe);
  }
  const { pixels, alpha } = await packer.end();
  const format = header.format === "png" || header.format === "gif" ? header.format : "webp";
  return { facts: { format, width, height, orientation: 1 }, pixels, alpha };
}

/** Sizes of the pictures that are sent to models and requested from them. */
import type { ImagePrompt, ModelPicture, PictureSize } from "../../contracts/models/model-calls.ts";
import { readImageHeader } from "../../images/header/read-image-header.ts";
import { imageTooLarge } from "../../images/image-errors.ts";
import type { FileRef } from "../../lib/files/file-ref.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";
import { NodeError } from "../../lib/errors/node-error.ts";

/** Throws NodeError `IMAGE_TOO_LARGE`. */
export function scaledSize(from: PictureSize, scale: 2 | 4, pixelsMax: number): PictureSize {
  const size = { width: from.width * scale, height: from.height * scale };
  if (size.width * size.height > pixelsMax) {
    throw imageTooLarge(
      `would have ${size.width} × ${size.height} px, and max_output_megapixels is ${pixelsMax / 1_000_000}. Scale it down or raise the limit.`,
    );
  }
  return size;
}

/** The size of a picture in pixels; the proportions of the first image if it asks for them. */
export function sizeInPixels({ size }: ImagePrompt, images: readonly ModelPicture[]): PictureSize {
  if (size.kind === "exact") {
    return { width: size.width, height: size.height };
  }
  const [first] = images;
  const ratio =
    size.ratio === "of_first_image"
      ? first === undefined
        ? { width: 1, height: 1 }
        : readImageHeader(first.bytes)
      : size.ratio;
  const scale = size.longestSide / Math.max(ratio.width, ratio.height);
  return {
    width: Math.max(SIDE_MIN, Math.round(ratio.width * scale)),
    height: Math.max(SIDE_MIN, Math.round(ratio.height * scale)),
  };
}

/** No model makes smaller pictures. */
const SIDE_MIN = 64;

/** Throws NodeError `IMAGE_TOO_LARGE` before any picture is read. */
export function checkSizes(files: readonly FileRef[]): void {
  const one = LIMITS.model_image.value;
  const together = LIMITS.model_images.value;
  const large = files.find(({ sizeBytes }) => sizeBytes > one);
  const sum = files.reduce((bytes, { sizeBytes }) => bytes + sizeBytes, 0);
  if (large !== undefined || sum > together) {
    throw new NodeError(
      "IMAGE_TOO_LARGE",
      large === undefined
        ? `The pictures have ${sum} bytes together; one call of a model sends at most ${together}. Scale them down.`
        : `The picture ${large.name} has ${large.sizeBytes} bytes; at most ${one} are sent to a model. Scale it down.`,
    );
  }
}

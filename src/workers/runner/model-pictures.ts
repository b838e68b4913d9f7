import { joinPieces } from "../../images/byte-writer.ts";
import svgRenderer from "../../images/svg/resvg.wasm";
import type { MadePicture, ModelPicture, PictureSize } from "../../contracts/models/model-calls.ts";
import type { ColorConversion } from "../../images/color/convert-colors.ts";
import {
  checkConversion,
  CONVERSION_BYTES_MAX,
  conversionBytes,
} from "../../images/conversion-bytes.ts";
import { createPictureTools } from "../../images/create-picture-tools.ts";
import { readImageHeader } from "../../images/header/read-image-header.ts";
import { imageTooLarge } from "../../images/image-errors.ts";
import { openImage } from "../../images/open-image.ts";
import { prepareModelPicture } from "../../images/prepare-model-picture.ts";
import type { Picture } from "../../images/raster/raster.ts";
import { resamplePicture } from "../../images/raster/resample-picture.ts";
import { NodeError } from "../../lib/errors/node-error.ts";
import type { FileBytes } from "../../nodes/define-file-tools.ts";
import { badOutput } from "../../providers/call-failure.ts";
import { imageCodecs } from "./image-codecs.ts";

const tools = createPictureTools(imageCodecs, svgRenderer);

/**
 * A picture as it is sent to a model, while `heldBytes` of other pictures of the same call are in memory. `onColors`
 * receives how the colors of a picture that is converted and is not sRGB are converted. Throws NodeError
 * `IMAGE_TOO_LARGE`, `IMAGE_UNREADABLE`, `SVG_UNDRAWABLE`, `TYPE_MISMATCH`.
 */
export function preparePicture(
  bytes: Uint8Array,
  contentType: string,
  heldBytes: number,
  onColors?: (conversion: ColorConversion) => void,
): Promise<ModelPicture> {
  const counting = createPictureTools(imageCodecs, svgRenderer, undefined, onColors);
  return prepareModelPicture(bytes, contentType, (given, type) => {
    const needed = type === "image/svg+xml" ? CONVERSION_BYTES_MAX : bytesToConvert(given);
    if (heldBytes > 0 && needed + heldBytes > CONVERSION_BYTES_MAX) {
      throw imageTooLarge(
        "must be converted before it is sent, and there is no memory for that beside the other pictures of the call. Convert it first with image/convert.",
      );
    }
    return counting.convert(given, type, "png");
  });
}

function bytesToConvert(bytes: Uint8Array): number {
  const header = readImageHeader(bytes);
  return conversionBytes(header, header, bytes.length, "png");
}

/** A prepared picture by rows. See `OpenPicture`. */
export async function openPicture({ bytes }: ModelPicture, scale = 1): Promise<Picture> {
  const header = readImageHeader(bytes);
  const memoryMax = checkConversion(header, bytes.length, "png");
  const picture = await openImage(bytes, header, imageCodecs, memoryMax);
  const to = { width: picture.width * scale, height: picture.height * scale };
  return resamplePicture(imageCodecs.pixels, picture, to);
}

/** A picture of a model as a PNG of exactly this size. Throws NodeError `PROVIDER_BAD_OUTPUT` or `IMAGE_TOO_LARGE`. */
export async function finishPicture(made: MadePicture, size: PictureSize): Promise<FileBytes> {
  const isPng = made.contentType === "image/png";
  if (isPng && made.size !== undefined && isSame(made.size, size)) {
    return made.bytes;
  }
  try {
    const given = await wholeBytes(made.bytes);
    const png = isPng
      ? given
      : await wholeBytes(await tools.convert(given, made.contentType, "png"));
    if (isSame(readImageHeader(png), size)) {
      return png;
    }
    const request = { ...size, fit: "stretch", background: null } as const;
    return (await tools.resize(png, "image/png", request)).bytes;
  } catch (error) {
    throw error instanceof NodeError && error.code === "IMAGE_UNREADABLE"
      ? badOutput("it is not a picture", error)
      : error;
  }
}

function isSame(a: PictureSize, b: PictureSize): boolean {
  return a.width === b.width && a.height === b.height;
}

async function wholeBytes(bytes: FileBytes): Promise<Uint8Array> {
  if (bytes instanceof Uint8Array) {
    return bytes;
  }
  const pieces: Uint8Array[] = [];
  for await (const piece of bytes) {
    pieces.push(piece.slice());
  }
  return joinPieces(pieces);
}

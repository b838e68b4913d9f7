import { checkImageBytes, checkImageSize } from "../../../images/header/read-image-header.ts";
import { readJpegStructure } from "../../../images/header/read-jpeg-header.ts";
import type { PictureFailure } from "../../../contracts/templates/layout-report.ts";
import type { PreparedPicture } from "./prepared-picture.ts";

const COLORS = new Map([
  [1, "gray"],
  [3, "rgb"],
  [4, "cmyk"],
] as const);

/** A JPEG's own data. Throws NodeError `IMAGE_UNREADABLE` or `IMAGE_TOO_LARGE`. */
export function passJpeg(
  bytes: Uint8Array,
  { allowsCmyk }: { readonly allowsCmyk: boolean },
): PreparedPicture | PictureFailure {
  checkImageBytes(bytes);
  const { frame, orientation, isAdobe } = readJpegStructure(bytes);
  checkImageSize(frame);
  const { width, height, sampling } = frame;
  const kind = COLORS.get(sampling.length as 1) ?? "rgb";
  if (kind === "cmyk" && !allowsCmyk) {
    return "unsupported";
  }
  const [shownWidth, shownHeight] = orientation >= 5 ? [height, width] : [width, height];
  return {
    facts: { format: "jpeg", width: shownWidth, height: shownHeight, orientation },
    pixels: {
      width,
      height,
      color: { kind },
      bits: 8,
      encoding: "jpeg",
      isInverted: kind === "cmyk" && isAdobe,
      clearColor: null,
      data: [bytes],
    },
    alpha: null,
  };
}

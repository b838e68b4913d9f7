import { colorConversionOf, profileToKeep } from "../../../images/color/convert-colors.ts";
import { checkImageBytes, checkImageSize } from "../../../images/header/read-image-header.ts";
import { readJpegStructure } from "../../../images/header/read-jpeg-header.ts";
import type { PictureFailure } from "../../../contracts/templates/layout-report.ts";
import type { PictureRules } from "./picture-rules.ts";
import type { PreparedPicture } from "./prepared-picture.ts";

const COLORS = new Map([
  [1, "gray"],
  [3, "rgb"],
  [4, "cmyk"],
] as const);

/**
 * A JPEG's own data. A profile of RGB or gray that is not sRGB is passed on with it; CMYK stays that of the device. `onColors`
 * is called if the profile cannot be. Throws NodeError `IMAGE_UNREADABLE` or `IMAGE_TOO_LARGE`. */
export function passJpeg(
  bytes: Uint8Array,
  { allowsCmyk, onColors }: Pick<PictureRules, "allowsCmyk" | "onColors">,
): PreparedPicture | PictureFailure {
  checkImageBytes(bytes);
  const { frame, orientation, isAdobe, profile } = readJpegStructure(bytes);
  checkImageSize(frame);
  const { width, height, sampling } = frame;
  const kind = COLORS.get(sampling.length as 1) ?? "rgb";
  if (kind === "cmyk" && !allowsCmyk) {
    return "unsupported";
  }
  const channels = kind === "gray" ? 1 : 3;
  const colors =
    profile === undefined || kind === "cmyk" ? undefined : { channels, isInverted: false, profile };
  const kept = colors && profileToKeep(colors);
  // A gray picture may have a profile of three channels, for which PDF has no color space.
  if (kept === undefined && colorConversionOf(colors) !== undefined) {
    onColors?.("profile_not_applied");
  }
  const [shownWidth, shownHeight] = orientation >= 5 ? [height, width] : [width, height];
  return {
    facts: { format: "jpeg", width: shownWidth, height: shownHeight, orientation },
    pixels: {
      width,
      height,
      color: { kind, ...(kept !== undefined && { profile: kept }) },
      bits: 8,
      encoding: "jpeg",
      isInverted: kind === "cmyk" && isAdobe,
      clearColor: null,
      data: [bytes],
    },
    alpha: null,
  };
}

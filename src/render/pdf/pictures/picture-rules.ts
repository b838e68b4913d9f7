import type { ColorConversion } from "../../../images/color/convert-colors.ts";

export interface PictureRules {
  /** Whether the output can print CMYK pictures: not PDF/X-4 with an RGB or gray profile. */
  readonly allowsCmyk: boolean;
  /** Of pixels that are compressed again; a picture that needs more is `too_large`. */
  readonly packedBytesMax?: number;
  /** Receives how the colors of a picture are converted, or that its profile is not applied. */
  readonly onColors?: ((conversion: ColorConversion) => void) | undefined;
}

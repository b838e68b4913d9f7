import svgRenderer from "../../images/svg/resvg.wasm";
import type { ColorConversion } from "../../images/color/convert-colors.ts";
import { createPictureTools } from "../../images/create-picture-tools.ts";
import { imageCodecs } from "./image-codecs.ts";

/**
 * The runner's raster tools. The first call that needs a wasm module instantiates it. `onBytes` receives the maximum
 * memory of an operation that needs less than the limit, `onColors` how the colors of a picture that is not sRGB are
 * converted.
 */
export function createImageTools(
  onBytes?: (bytes: number) => void,
  onColors?: (conversion: ColorConversion) => void,
) {
  return createPictureTools(imageCodecs, svgRenderer, onBytes, onColors);
}

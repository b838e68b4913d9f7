import svgRenderer from "../../images/svg/resvg.wasm";
import { createPictureTools } from "../../images/create-picture-tools.ts";
import { imageCodecs } from "./image-codecs.ts";

/**
 * The runner's raster tools. The first call that needs a wasm module instantiates it. `onBytes` receives the maximum
 * memory of an operation that needs less than the limit.
 */
export function createImageTools(onBytes?: (bytes: number) => void) {
  return createPictureTools(imageCodecs, svgRenderer, onBytes);
}

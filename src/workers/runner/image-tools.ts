import svgRenderer from "../../images/svg/resvg.wasm";
import { createPictureTools } from "../../images/create-picture-tools.ts";
import { imageCodecs } from "./image-codecs.ts";

/** The runner's raster tools. A wasm is started by the first call that needs it. */
export function createImageTools() {
  return createPictureTools(imageCodecs, svgRenderer);
}

import svgRenderer from "../../images/svg/resvg.wasm";
import { createPictureTools } from "../../images/create-picture-tools.ts";
import { imageCodecs } from "./image-codecs.ts";

/** The runner's raster tools. The first call that needs a wasm module instantiates it. */
export function createImageTools() {
  return createPictureTools(imageCodecs, svgRenderer);
}

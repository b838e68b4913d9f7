import type { Picture } from "../../images/raster/raster.ts";
import { resamplePicture } from "../../images/raster/resample-picture.ts";

/** The sample upscaling: Lanczos with 3 lobes (docs/contract/pictures.md#scaling), by rows. */
export function upscalePicture(picture: Picture, scale: 2 | 4): Picture {
  return resamplePicture(picture, {
    width: picture.width * scale,
    height: picture.height * scale,
  });
}

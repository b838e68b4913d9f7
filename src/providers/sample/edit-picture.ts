import { cutOut } from "./cutout/cut-out.ts";
import type { RemoveBackground, UpscaleImage } from "../provider.ts";
import { writeSamplePng } from "./write-sample-png.ts";

/** The picture without its background, in its own size. Opens the picture twice. */
export const removeBackground: RemoveBackground = async (_model, { image }, io) =>
  writeSamplePng(io.pixels, await cutOut(() => io.openPicture(image)));

/** The sample upscaling: Lanczos with 3 lobes, by rows. */
export const upscaleImage: UpscaleImage = async (_model, { image, scale }, io) =>
  writeSamplePng(io.pixels, await io.openPicture(image, scale));

import { cutOut } from "./cutout/cut-out.ts";
import type { RemoveBackground, UpscaleImage } from "../provider.ts";
import { upscalePicture } from "./upscale-picture.ts";
import { writeSamplePng } from "./write-sample-png.ts";

/** The picture without its background, in its own size. Opens the picture twice. */
export const removeBackground: RemoveBackground = async (_model, { image }, io) =>
  writeSamplePng(await cutOut(() => io.openPicture(image)));

export const upscaleImage: UpscaleImage = async (_model, { image, scale }, io) =>
  writeSamplePng(upscalePicture(await io.openPicture(image), scale));

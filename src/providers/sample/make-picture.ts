import type { Picture } from "../../images/raster/raster.ts";
import type { MakeImage } from "../provider.ts";
import { drawSamplePicture } from "./picture/draw-sample-picture.ts";
import { ACCENTS } from "./picture/palette.ts";

/** Draws a picture of exactly the requested size. Without a seed each variant has its own. */
export const makePicture: MakeImage = async (_model, request, io) => {
  const images: Picture[] = [];
  for (const image of request.images) {
    // oxlint-disable-next-line no-await-in-loop -- one picture at a time is opened
    images.push(await io.openPicture(image));
  }
  const { accent } = request.parameters;
  return {
    contentType: "image/png",
    size: request.size,
    bytes: drawSamplePicture(io.pixels, {
      prompt: request.prompt,
      seed: request.seed ?? request.variant,
      ...request.size,
      accent: ACCENTS.find((known) => known === accent) ?? "auto",
      preset: request.preset,
      effect: request.effect,
      images,
    }),
  };
};

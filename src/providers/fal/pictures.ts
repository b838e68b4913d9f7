/** The inputs and outputs of the models of fal that make pictures. */
import type {
  CutoutRequest,
  ImageRequest,
  MadePicture,
  ModelPicture,
} from "../../contracts/models/model-calls.ts";
import { isJsonObject, type JsonValue } from "../../lib/json/exact-json.ts";
import { badOutput, refused } from "../call-failure.ts";
import { fetchPicture } from "../fetch-file.ts";
import { InlineFile } from "../json-body.ts";
import type { JobCall, ProviderIo } from "../provider.ts";

/** FLUX.1 schnell: a picture of any size. */
export const pictureJob: JobCall<ImageRequest, MadePicture> = {
  inputOf: (_model, { prompt, size, seed, parameters }) =>
    Promise.resolve({
      ...parameters,
      prompt,
      image_size: { width: size.width, height: size.height },
      num_images: 1,
      ...(seed !== null && { seed }),
      output_format: "png",
    }),
  read: (output, _scope, io) => readPicture(output, io),
};

/** FLUX.1 Kontext: one picture, changed. */
export const editJob: JobCall<ImageRequest, MadePicture> = {
  inputOf: (_model, { prompt, images, parameters }) =>
    Promise.resolve({ ...parameters, prompt, image_url: fileOf(images[0]) }),
  read: (output, _scope, io) => readPicture(output, io),
};

/** BiRefNet: one picture without its background. */
export const cutoutJob: JobCall<CutoutRequest, MadePicture> = {
  inputOf: (_model, { image, parameters }) =>
    Promise.resolve({ ...parameters, image_url: fileOf(image) }),
  read: (output, _scope, io) => readPicture(output, io),
};

function fileOf(picture: ModelPicture | undefined): InlineFile {
  if (picture === undefined) {
    throw new TypeError("A picture is edited.");
  }
  return InlineFile.ofPicture(picture);
}

/** `images[0].url` or `image.url`; a picture that a safety filter has blackened counts as refused. */
async function readPicture(output: JsonValue, io: ProviderIo): Promise<MadePicture> {
  const { images, image, has_nsfw_concepts: flags } = isJsonObject(output) ? output : {};
  if (flags === true || (Array.isArray(flags) && flags[0] === true)) {
    throw refused();
  }
  const made = Array.isArray(images) ? (images as readonly JsonValue[])[0] : image;
  const address = isJsonObject(made) ? made["url"] : undefined;
  if (typeof address !== "string") {
    throw badOutput("its job named no picture");
  }
  return await fetchPicture(address, io);
}

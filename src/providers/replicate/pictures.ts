/** The inputs and outputs of the models of Replicate that make pictures. */
import type {
  CutoutRequest,
  ImageRequest,
  MadePicture,
  ModelPicture,
  PictureSize,
} from "../../contracts/models/model-calls.ts";
import type { JsonValue } from "../../lib/json/exact-json.ts";
import { badOutput } from "../call-failure.ts";
import type { WithFiles } from "../json-body.ts";
import { nearestRatio } from "../nearest-ratio.ts";
import type { JobCall, JobScope, ProviderIo } from "../provider.ts";
import { outputAddress } from "../read-output.ts";
import { fetchPicture } from "../fetch-file.ts";
import { inputFile } from "./files.ts";

type Files = (pictures: readonly ModelPicture[]) => Promise<readonly string[]>;
type InputOf = (request: ImageRequest, files: Files) => Promise<WithFiles>;

const FLUX_RATIOS: readonly PictureSize[] = [
  "1:1",
  "16:9",
  "21:9",
  "3:2",
  "2:3",
  "4:5",
  "5:4",
  "3:4",
  "4:3",
  "9:16",
  "9:21",
].map((ratio) => {
  const [width = 1, height = 1] = ratio.split(":").map(Number);
  return { width, height };
});

/** By the name of the model at Replicate. */
const INPUTS: ReadonlyMap<string, InputOf> = new Map<string, InputOf>([
  [
    "black-forest-labs/flux-schnell",
    ({ prompt, size, seed }) => {
      const { width, height } = nearestRatio(size, FLUX_RATIOS);
      return Promise.resolve({
        prompt,
        aspect_ratio: `${width}:${height}`,
        num_outputs: 1,
        ...(seed !== null && { seed }),
        output_format: "png",
      });
    },
  ],
  [
    "black-forest-labs/flux-kontext-pro",
    async ({ prompt, images, seed }, files) => ({
      prompt,
      input_image: (await files(images))[0] ?? null,
      aspect_ratio: "match_input_image",
      ...(seed !== null && { seed }),
      output_format: "png",
    }),
  ],
  [
    "google/nano-banana",
    async ({ prompt, images }, files) => ({ prompt, image_input: await files(images) }),
  ],
]);

export const pictureJob: JobCall<ImageRequest, MadePicture> = {
  async inputOf(model, request, io) {
    const inputOf = INPUTS.get(model.remote_model);
    if (inputOf === undefined) {
      throw new TypeError("The entries of this provider have no such model for pictures.");
    }
    return { ...request.parameters, ...(await inputOf(request, filesFor(io))) };
  },
  read: readPicture,
};

/** Background removal and upscaling: their models take a picture and nothing else. */
export const editJob: JobCall<CutoutRequest, MadePicture> = {
  inputOf: async (_model, { image, parameters }, io) => ({
    ...parameters,
    image: await inputFile(image, io),
  }),
  read: readPicture,
};

async function readPicture(
  output: JsonValue,
  _scope: JobScope,
  io: ProviderIo,
): Promise<MadePicture> {
  const address = outputAddress(output);
  if (address === undefined) {
    throw badOutput("its job named no picture");
  }
  return await fetchPicture(address, io);
}

function filesFor(io: ProviderIo): Files {
  return async (pictures) => {
    const inputs: string[] = [];
    for (const picture of pictures) {
      // oxlint-disable-next-line no-await-in-loop -- one picture at a time is sent
      inputs.push(await inputFile(picture, io));
    }
    return inputs;
  };
}

/**
 * Inputs of predictions, judged by the fields that Replicate publishes for each model: the real adapter sends them to a server
 * on this machine. test/support/providers/replicate-inputs.ts names the page and the version of each model.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type {
  ImageRequest,
  ModelPicture,
  UpscaleRequest,
} from "../../../../src/contracts/models/model-calls.ts";
import { REPLICATE_MODELS } from "../../../../src/providers/replicate/entries.ts";
import { replicate } from "../../../../src/providers/replicate/replicate.ts";
import {
  newTaskOf,
  oneJob,
  pictureBytes,
  referencedEntry,
} from "../../../support/providers/call-job.ts";
import { PIXEL } from "../../../support/providers/pixel.ts";
import { PUBLISHED_INPUTS } from "../../../support/providers/replicate-inputs.ts";
import { ReplicateServer } from "../../../support/providers/replicate-server.ts";

const script = new ReplicateServer();
beforeAll(() => script.server.start());
afterAll(() => {
  script.server.stop();
});
beforeEach(() => {
  script.reset();
  script.file = PIXEL;
});

const SMALL: ModelPicture = { contentType: "image/png", bytes: PIXEL };
/** Too large for a part of an input: it is uploaded first. */
const LARGE: ModelPicture = { contentType: "image/jpeg", bytes: new Uint8Array(256 * 1024 + 1) };

const IMAGE: ImageRequest = {
  capability: "text_to_image",
  prompt: "A kite",
  negativePrompt: "rain",
  images: [],
  size: { width: 1_024, height: 1_024 },
  seed: 7,
  variant: 0,
  preset: null,
  effect: null,
  parameters: {},
};
type Asked = readonly [slug: string, request: Partial<ImageRequest>];

/** Sizes whose nearest ratios are all that the adapter knows, from 9:21 to 21:9. */
const SIZES = [
  [900, 2_100],
  [900, 1_600],
  [800, 1_200],
  [900, 1_200],
  [800, 1_000],
  [1_000, 1_000],
  [1_000, 800],
  [1_200, 900],
  [1_200, 800],
  [1_600, 900],
  [2_100, 900],
  [64, 4_096],
] as const;

const PICTURES: readonly Asked[] = [
  ...SIZES.map(([width, height]): Asked => ["flux-schnell", { size: { width, height } }]),
  ["flux-schnell", { seed: null }],
  ["flux-kontext-pro", { capability: "image_edit", images: [SMALL] }],
  ["flux-kontext-pro", { capability: "image_edit", images: [LARGE], seed: null }],
  ["nano-banana", {}],
  ["nano-banana", { capability: "image_edit", images: [LARGE] }],
  ["nano-banana", { capability: "multi_image_edit", images: [SMALL, LARGE, SMALL] }],
];

const modelOf = (slug: string) => referencedEntry(REPLICATE_MODELS, slug);
const newTask = () =>
  newTaskOf({
    provider: replicate,
    baseUrl: script.base,
    apiKey: "r8_key",
    host: script.server.host,
    allowed: script.server.host,
  });

/** The only prediction that the script received. */
function sent(): Readonly<Record<string, unknown>> {
  expect(script.predictions).toHaveLength(1);
  return script.predictions[0]?.input ?? {};
}

function judge(name: string, input: Readonly<Record<string, unknown>>): void {
  const fields = PUBLISHED_INPUTS.get(name)?.fields;
  expect(fields?.safeParse(input).error?.issues ?? []).toEqual([]);
  // A field of another type, one of another name, and one that the model does not have.
  for (const [field, value] of Object.entries(input)) {
    const { [field]: _, ...others } = input;
    expect(fields?.safeParse({ ...input, [field]: { value } }).success).toBe(false);
    expect(fields?.safeParse({ ...others, [`${field}s`]: value }).success).toBe(false);
  }
  expect(fields?.safeParse({ ...input, planted: 1 }).success).toBe(false);
  expect(Object.keys(input)).not.toEqual([]);
}

describe("the fields that Replicate publishes", () => {
  test.each(PICTURES)("are those that a picture of %s is asked for with", async (...asked) => {
    const [slug, given] = asked;
    const request = { ...IMAGE, ...given };
    const work = oneJob((calls) => calls[request.capability], replicate, modelOf(slug), request);
    expect(await newTask().toEnd(work.fetched(pictureBytes))).toEqual({ made: PIXEL });
    judge(modelOf(slug).remote_model, sent());
  });

  test.each([SMALL, LARGE])("are those that a cutout is asked for with", async (image) => {
    const request = { image, parameters: {} };
    const model = modelOf("bria-cutout");
    const work = oneJob((calls) => calls.background_removal, replicate, model, request);
    expect(await newTask().toEnd(work.fetched(pictureBytes))).toEqual({ made: PIXEL });
    judge(model.remote_model, sent());
  });

  test.each([SMALL, LARGE])(
    "are those that an enlarged picture is asked for with",
    async (image) => {
      const request: UpscaleRequest = {
        image,
        parameters: {},
        scale: 2,
        size: { width: 2, height: 2 },
      };
      const model = modelOf("recraft-upscale");
      const work = oneJob((calls) => calls.image_upscale, replicate, model, request);
      expect(await newTask().toEnd(work.fetched(pictureBytes))).toEqual({ made: PIXEL });
      judge(model.remote_model, sent());
    },
  );

  test("are known for every model of the list", () => {
    const unknown = REPLICATE_MODELS.filter(
      ({ remote_model }) => !PUBLISHED_INPUTS.has(remote_model),
    );
    expect(unknown).toEqual([]);
    for (const [name, { source }] of PUBLISHED_INPUTS) {
      expect(source).toContain(name.split("/")[1]);
    }
  });
});

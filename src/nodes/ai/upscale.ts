import * as z from "zod";
import { integerField } from "../../contracts/workflows/node-parameters.ts";
import { costOfCall } from "../define-model-costs.ts";
import { modelParameters } from "../define-models.ts";
import { defineNode } from "../define-node.ts";
import { askOneModel, oneModel } from "../define-one-model.ts";
import type { RunValue } from "../define-ports.ts";
import { NEEDS } from "../define-tools.ts";

const CAPABILITY = "image_upscale";
const MEGAPIXEL = 1_000_000;

const params = z.strictObject({
  ...modelParameters,
  scale: z
    .union([z.literal(2), z.literal(4)])
    .default(2)
    .meta({
      title: "Scale",
      description: "How many times as wide and as high the result is: 2 or 4.",
    }),
  max_output_megapixels: integerField(1, 64).default(16).meta({
    title: "Largest result",
    description: "In millions of pixels. A larger result is refused before anything is sent.",
    advanced: true,
  }),
});

/** Enlarges a picture to exactly 2 or 4 times its size (docs/contract/models.md#edited-pictures). */
export const aiUpscale = defineNode({
  ...oneModel<z.output<typeof params>>(CAPABILITY, "megapixel", (given) => ({
    pixels: given.max_output_megapixels * MEGAPIXEL,
  })),
  type: "ai/upscale",
  version: "1.0",
  name: "Enlarge a picture",
  description: "Makes a picture two or four times as wide and as high, with more detail.",
  whenToUse: "For small pictures that are printed, or shown large.",
  subCategory: "image",
  status: "preview",
  icon: "maximize",
  color: "#7c3aed",
  inputs: [{ name: "image", type: "image", label: "Picture" }],
  outputs: [{ name: "image", type: "image", label: "Enlarged picture" }],
  params,
  role: "transform",
  placement: "task",
  needs: ["models", "files"],
  // The picture, and its result with the conversion of it.
  memoryBytes: NEEDS.images.memoryBytes,
  async run(ctx, inputs, given) {
    return await askOneModel(ctx, given, CAPABILITY, async (model, parameters) => {
      const edit = {
        image: inputs.file("image"),
        parameters,
        scale: given.scale,
        pixelsMax: given.max_output_megapixels * MEGAPIXEL,
      };
      const { bytes, size } = await ctx.models.upscaleImage(model, edit, model.model);
      const file = await ctx.files.write("enlarged.png", "image/png", bytes);
      const pixels = size.width * size.height;
      const quantity = pixels / MEGAPIXEL;
      ctx.task.charge({ milliCredits: costOfCall(model, { pixels }), quantity });
      return new Map<string, RunValue>([["image", file]]);
    });
  },
});
